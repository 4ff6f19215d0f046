// cspell:ignore woox
import { TickhaulError } from '../../base/errors.js';
import { type MessageFields, toFields, toFieldsList } from '../message-fields.js';
import { toWooXTopic } from './own-channels.js';

interface SupplementRequest {
  /** Channel of the filters that need this request. */
  readonly channel: string;
  /** Milliseconds between two requests. */
  readonly pauseMs: number;
}

/** A request over HTTP. */
export interface HttpSupplement extends SupplementRequest {
  /** `https://…`. */
  readonly host: string;
  /** Path and query. The symbol is empty if one request returns all symbols. */
  readonly path: (symbol: string) => string;
  readonly isForAll?: boolean;
  /** Converts a response to the messages that the vendor's collector records. */
  readonly toMessages: (body: unknown, symbol: string) => readonly object[];
  /** Interval of repeated requests in milliseconds; if omitted, one request for each connection. */
  readonly intervalMs?: number;
}

/** A request over the connection itself, sent once it delivers data. */
export interface ConnectionSupplement extends SupplementRequest {
  /** Delay in milliseconds after the first message: some changes must arrive before the snapshot. */
  readonly delayMs: number;
  readonly request: (symbol: string) => object;
}

/** A POST request that returns a connection's address. */
export interface AddressRequest {
  readonly host: string;
  readonly path: string;
  /** Reads the address from the response; undefined if there is none. */
  readonly readAddress: (body: unknown) => string | undefined;
}

/** A request has weight 20 to 50 of 2,400 to 6,000 per minute, so this uses half of the limit. */
const BINANCE_PAUSE_MS = 1000;
const POLL_PAUSE_MS = 100;
/** MEXC answers 500 requests in 10 s for spot books, and 20 in 2 s for those of futures. */
const MEXC_PAUSE_MS = 200;

/**
 * Data that real-time APIs provide only over HTTP: book snapshots for later changes, open interest. Paths and
 * messages are those of the vendor's clients, so its normalizers support them.
 */
export const HTTP_SUPPLEMENTS: Readonly<Record<string, readonly HttpSupplement[]>> = {
  aster: [binanceBook('https://sapi.asterdex.com', '/api/v3')],
  'aster-futures': [
    binanceBook('https://fapi.asterdex.com', '/fapi/v3'),
    binanceOpenInterest('https://fapi.asterdex.com', '/fapi/v3'),
  ],
  binance: [binanceBook('https://api.binance.com', '/api/v3')],
  'binance-us': [binanceBook('https://api.binance.us', '/api/v3')],
  'binance-futures': [
    binanceBook('https://fapi.binance.com', '/fapi/v1'),
    binanceOpenInterest('https://fapi.binance.com', '/fapi/v1'),
  ],
  'binance-delivery': [
    binanceBook('https://dapi.binance.com', '/dapi/v1'),
    binanceOpenInterest('https://dapi.binance.com', '/dapi/v1'),
  ],
  bitstamp: [
    {
      channel: 'diff_order_book',
      pauseMs: POLL_PAUSE_MS,
      host: 'https://www.bitstamp.net',
      path: (symbol) => `/api/v2/order_book/${symbol}?group=1`,
      toMessages: (data, symbol) => [
        { data, event: 'snapshot', channel: `diff_order_book_${symbol}`, generated: true },
      ],
    },
  ],
  kucoin: [
    {
      channel: 'market/level2Snapshot',
      pauseMs: POLL_PAUSE_MS,
      host: 'https://api.kucoin.com',
      path: (symbol) => `/api/v1/market/orderbook/level2_100?symbol=${symbol}`,
      toMessages: (body, symbol) => [
        kucoinMessage(`/market/level2Snapshot:${symbol}`, 'trade.l2Snapshot', body),
      ],
    },
  ],
  'kucoin-futures': [
    {
      channel: 'contractMarket/level2Snapshot',
      pauseMs: POLL_PAUSE_MS,
      host: 'https://api-futures.kucoin.com',
      path: (symbol) => `/api/v1/level2/snapshot?symbol=${symbol}`,
      toMessages: (body, symbol) => [
        kucoinMessage(`/contractMarket/level2Snapshot:${symbol}`, 'level2Snapshot', body),
      ],
    },
    {
      channel: 'contract/details',
      pauseMs: POLL_PAUSE_MS,
      intervalMs: 6000,
      isForAll: true,
      host: 'https://api-futures.kucoin.com',
      path: () => '/api/v1/contracts/active',
      toMessages: (body) =>
        toFieldsList(toFields(body)['data']).map((data) =>
          kucoinMessage(`/contract/details:${data['symbol']}`, 'contractDetails', { data }),
        ),
    },
  ],
  mexc: [
    {
      channel: 'spot@public.aggre.depth.snapshot.v3.api.pb@10ms',
      pauseMs: MEXC_PAUSE_MS,
      host: 'https://api.mexc.com',
      path: (symbol) => `/api/v3/depth?symbol=${symbol}&limit=5000`,
      toMessages: (body, symbol) => [
        {
          channel: `spot@public.aggre.depth.snapshot.v3.api.pb@10ms@${symbol}`,
          symbol,
          generated: true,
          publicAggreDepthsSnapshot: checkBook(`mexc: the book of ${symbol}`, body, 'lastUpdateId'),
        },
      ],
    },
  ],
  'mexc-futures': [
    {
      channel: 'push.depth.snapshot',
      pauseMs: MEXC_PAUSE_MS,
      host: 'https://contract.mexc.com',
      path: (symbol) => `/api/v1/contract/depth/${symbol}?limit=5000`,
      toMessages: (body, symbol) => [
        {
          channel: 'push.depth.snapshot',
          symbol,
          generated: true,
          data: checkBook(`mexc-futures: the book of ${symbol}`, toFields(body)['data'], 'version'),
        },
      ],
    },
  ],
  'woo-x': [
    {
      channel: 'orderbook',
      pauseMs: POLL_PAUSE_MS,
      host: 'https://api.woox.io',
      path: (symbol) => `/v3/public/orderbook?symbol=${symbol}&maxLevel=50`,
      toMessages(body, symbol) {
        const { success, timestamp, data } = toFields(body);
        if (success === true) {
          return [{ topic: toWooXTopic('orderbook', symbol), ts: timestamp, generated: true, data }];
        }
        throw new TickhaulError('bad_answer', `woo-x: no order book of ${symbol}`);
      },
    },
  ],
  'huobi-dm': [huobiOpenInterest('/api/v1', huobiContract)],
  'huobi-dm-swap': [huobiOpenInterest('/swap-api/v1', huobiCode('swap_open_interest'))],
  'huobi-dm-linear-swap': [huobiOpenInterest('/linear-swap-api/v1', huobiCode('swap_open_interest'))],
  'huobi-dm-options': [
    huobiOpenInterest('/option-api/v1', huobiCode('option_open_interest')),
    huobiPoll('option_market_index', '/option-api/v1', huobiCode('option_market_index')),
    huobiPoll('option_index', '/option-api/v1', (symbol) => `option_index?symbol=${symbol}`),
  ],
};

export const CONNECTION_SUPPLEMENTS: Readonly<Record<string, readonly ConnectionSupplement[]>> = {
  huobi: [
    {
      channel: 'mbp',
      pauseMs: 50,
      delayMs: 5500,
      request: (symbol) => ({ id: '1', req: `market.${symbol}.mbp.400` }),
    },
  ],
  ascendex: [
    {
      channel: 'depth-snapshot-realtime',
      pauseMs: 10,
      delayMs: 1000,
      request: (symbol) => ({ op: 'req', action: 'depth-snapshot-realtime', args: { symbol } }),
    },
  ],
};

export const ADDRESS_REQUESTS: Readonly<Record<string, AddressRequest>> = {
  kucoin: kucoinAddress('https://api.kucoin.com'),
  'kucoin-futures': kucoinAddress('https://api-futures.kucoin.com'),
};

function binanceBook(host: string, base: string): HttpSupplement {
  return {
    channel: 'depthSnapshot',
    pauseMs: BINANCE_PAUSE_MS,
    host,
    path: (symbol) => `${base}/depth?symbol=${symbol.toUpperCase()}&limit=1000`,
    toMessages: (data, symbol) => [{ stream: `${symbol}@depthSnapshot`, generated: true, data }],
  };
}

function binanceOpenInterest(host: string, base: string): HttpSupplement {
  return {
    channel: 'openInterest',
    pauseMs: POLL_PAUSE_MS,
    intervalMs: 3000,
    host,
    path: (symbol) => `${base}/openInterest?symbol=${symbol.toUpperCase()}`,
    toMessages: (data, symbol) => [{ stream: `${symbol.toLowerCase()}@openInterest`, generated: true, data }],
  };
}

/** @throws TickhaulError `bad_answer` for a response that is no numbered book, such as an error with status 200. */
function checkBook(name: string, body: unknown, number: string): MessageFields {
  const book = toFields(body);
  if (Number.isSafeInteger(book[number]) && Array.isArray(book['bids']) && Array.isArray(book['asks'])) {
    return book;
  }
  throw new TickhaulError('bad_answer', `${name}: the response is not an order book`);
}

function huobiOpenInterest(base: string, path: (symbol: string) => string): HttpSupplement {
  return {
    ...huobiPoll('open_interest', base, path),
    toMessages: (body, symbol) => {
      const { data, ts } = toFields(body);
      return [{ ch: `market.${symbol}.open_interest`, generated: true, data, ts }];
    },
  };
}

function huobiPoll(channel: string, base: string, path: (symbol: string) => string): HttpSupplement {
  return {
    channel,
    pauseMs: POLL_PAUSE_MS,
    intervalMs: 4000,
    host: 'https://api.hbdm.com',
    path: (symbol) => `${base}/${path(symbol)}`,
    toMessages: (body, symbol) => {
      const { data, ts } = toFields(body);
      return toFieldsList(data)
        .slice(0, 1)
        .map((first) => ({ ch: `market.${symbol}.${channel}`, generated: true, data: first, ts }));
    },
  };
}

function huobiCode(path: string): (symbol: string) => string {
  return (symbol) => `${path}?contract_code=${symbol}`;
}

const HUOBI_CONTRACTS: Readonly<Record<string, string>> = {
  CW: 'this_week',
  NW: 'next_week',
  CQ: 'quarter',
  NQ: 'next_quarter',
};

/** `BTC_CW`. */
function huobiContract(symbol: string): string {
  const [index = '', contract = ''] = symbol.split('_');
  return `contract_open_interest?symbol=${index}&contract_type=${HUOBI_CONTRACTS[contract]}`;
}

function kucoinMessage(topic: string, subject: string, body: unknown): object {
  return { type: 'message', generated: true, topic, subject, ...toFields(body) };
}

function kucoinAddress(host: string): AddressRequest {
  return {
    host,
    path: '/api/v1/bullet-public',
    readAddress(body) {
      const { token, instanceServers } = toFields(toFields(body)['data']);
      const endpoint = toFieldsList(instanceServers)[0]?.['endpoint'];
      return endpoint === undefined ? undefined : `${endpoint}?token=${token}`;
    },
  };
}
