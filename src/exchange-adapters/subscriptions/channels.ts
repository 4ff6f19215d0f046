import { createFeedFilter, type FeedFilter } from '../../service/feed-filter.js';
import { toFields, toFieldsList } from '../message-fields.js';
import {
  createForm,
  mapAllOrNone,
  splitAtFirst,
  splitAtLast,
  toFilter,
  toFilterList,
  toText,
  toTexts,
} from './subscription-form.js';

/** Exchanges whose messages have one channel with its symbols, or several in another form. */

export const binanceDex = createForm(
  '{"method":"subscribe","topic":"trades","symbols":["BNB_BTCB-1DE"]}',
  ({ method, topic, symbols }) => (method === 'subscribe' ? toFilterList(topic, symbols) : undefined),
);

export const cryptofacilities = createForm(
  '{"event":"subscribe","feed":"trade","product_ids":["PI_XBTUSD"]}',
  ({ event, feed, product_ids }) => (event === 'subscribe' ? toFilterList(feed, product_ids) : undefined),
);

export const ftx = createForm(
  '{"op":"subscribe","channel":"trades","market":"BTC-PERP"}',
  ({ op, channel, market }) => (op === 'subscribe' ? toFilterList(channel, market) : undefined),
);

export const blockchainCom = createForm(
  '{"action":"subscribe","channel":"l2","symbol":"BTC-USD"}',
  ({ action, channel, symbol }) => (action === 'subscribe' ? toFilterList(channel, symbol) : undefined),
);

export const dydx = createForm(
  '{"type":"subscribe","channel":"v3_trades","id":"BTC-USD"}',
  ({ type, channel, id }) => (type === 'subscribe' ? toFilterList(channel, id) : undefined),
);

export const bitstamp = createForm(
  '{"event":"bts:subscribe","data":{"channel":"live_trades_btcusd"}}',
  ({ event, data }) => {
    const channel = toText(toFields(data)['channel']);
    return event === 'bts:subscribe' && channel?.includes('_') ? [splitAtLast(channel, '_')] : undefined;
  },
);

export const kucoin = createForm(
  '{"type":"subscribe","topic":"/market/ticker:BTC-USDT,ETH-USDT"}',
  ({ type, topic }) => {
    const [path = '', symbols] = (toText(topic) ?? '').split(':');
    if (type !== 'subscribe' || path === '') return undefined;
    return [createFeedFilter(path.replace(/^\//, ''), symbols?.split(','))];
  },
);

/**
 * `public.BTC-USD.funding_rate` is the topic of a notification, which has a separate connection at the
 * exchange.
 */
export const huobi = createForm('{"sub":"market.btcusdt.trade.detail"}', ({ sub, op, topic }) => {
  const [, symbol, channel] = (toText(op === 'sub' ? topic : sub) ?? '').split('.');
  return symbol && channel ? [createFeedFilter(channel, [symbol])] : undefined;
});

export const coinbaseInternational = createForm(
  '{"type":"SUBSCRIBE","channels":["MATCH"],"product_ids":["BTC-PERP"]}',
  ({ type, channels, product_ids }) =>
    type === 'SUBSCRIBE'
      ? mapAllOrNone(toTexts(channels), (channel) => toFilter(channel, product_ids))
      : undefined,
);

/** The symbol is between the first and the last dot; the interval follows the last. */
export const deribitForm = createForm(
  '{"method":"public/subscribe","params":{"channels":["book.BTC-PERPETUAL.raw"]}}',
  ({ method, params }) =>
    method === 'public/subscribe'
      ? mapAllOrNone(toTexts(toFields(params)['channels']), (text) => {
          const [channel = '', ...rest] = text.split('.');
          const symbol = rest.length > 1 ? rest.slice(0, -1).join('.') : rest[0];
          return createFeedFilter(channel, symbol === undefined ? undefined : [symbol]);
        })
      : undefined,
);

const BITFLYER_CHANNELS = [
  'lightning_board_snapshot',
  'lightning_board',
  'lightning_ticker',
  'lightning_executions',
];

export const bitflyer = createForm(
  '{"method":"subscribe","params":{"channel":"lightning_executions_BTC_JPY"}}',
  ({ method, params }) => {
    const text = toText(toFields(params)['channel']);
    const channel = BITFLYER_CHANNELS.find((name) => text === name || text?.startsWith(`${name}_`));
    if (method !== 'subscribe' || text === undefined || channel === undefined) return undefined;
    return [createFeedFilter(channel, text === channel ? undefined : [text.slice(channel.length + 1)])];
  },
);

/**
 * Mark prices have separate symbols. The exchange requires this prefix in messages, the vendor's server does
 * not.
 */
const markSymbol = (symbol: string): string => (symbol.startsWith('MARK:') ? symbol : `MARK:${symbol}`);

export const delta = createForm(
  '{"type":"subscribe","payload":{"channels":[{"name":"l2_orderbook","symbols":["BTCUSD"]}]}}',
  ({ type, payload }) =>
    type === 'subscribe'
      ? mapAllOrNone(toFieldsList(toFields(payload)['channels']), ({ name, symbols }) => {
          const filter = toFilter(name, symbols);
          return name === 'mark_price' && filter
            ? createFeedFilter(filter.channel, filter.symbols?.map(markSymbol))
            : filter;
        })
      : undefined,
);

/** `req` requests a book snapshot once. */
export const ascendex = createForm('{"op":"sub","ch":"trades:BTC/USDT"}', ({ op, ch, action, args }) => {
  if (op !== 'sub' && op !== 'req') return undefined;
  const channel = toText(ch);
  return channel === undefined
    ? toFilterList(action, toFields(args)['symbol'])
    : [splitAtFirst(channel, ':')];
});

export const upbit = {
  example: '[{"ticket":"any"},{"type":"trade","codes":["KRW-BTC"]}]',
  read: (message: unknown): readonly FeedFilter[] | undefined =>
    mapAllOrNone(
      toFieldsList(message).filter(({ type }) => type !== undefined),
      ({ type, codes }) => toFilter(type, codes),
    ),
};

/** The exchange's form is `book.BTC_USDT.10`; the vendor's server accepts `BTC_USDT.book`. */
const CRYPTO_COM_CHANNELS = new Set([
  'trade',
  'book',
  'ticker',
  'settlement',
  'index',
  'mark',
  'funding',
  'estimatedfunding',
]);

export const cryptoCom = createForm(
  '{"method":"subscribe","params":{"channels":["book.BTC_USDT"]}}',
  ({ method, params }) =>
    method === 'subscribe'
      ? mapAllOrNone(toTexts(toFields(params)['channels']), (text) => {
          const [first = '', second = ''] = text.split('.');
          if (CRYPTO_COM_CHANNELS.has(first))
            return createFeedFilter(first, second === '' ? undefined : [second]);
          return CRYPTO_COM_CHANNELS.has(second) ? createFeedFilter(second, [first]) : undefined;
        })
      : undefined,
);

/** `PERP_BTC_USDT@trade`, or, since June 2026, `trade@PERP_BTC_USDT`, for books with the depth after it. */
export const wooX = createForm(
  '{"event":"subscribe","topic":"PERP_BTC_USDT@trade"}',
  ({ event, topic, cmd, data, params }) => {
    const isNew = typeof cmd === 'string' && cmd.toLowerCase() === 'subscribe';
    const topics = event === 'subscribe' ? topic : isNew ? (params ?? data) : undefined;
    return mapAllOrNone(toTexts(topics), (text) => {
      const [left = '', right] = text.split('@');
      if (right === undefined) return createFeedFilter(left);
      return /^(?:SPOT|PERP)_/.test(left) ? createFeedFilter(right, [left]) : createFeedFilter(left, [right]);
    });
  },
);

export const lighter = createForm('{"type":"subscribe","channel":"trade/1"}', ({ type, channel }) => {
  const text = toText(channel);
  if (type !== 'subscribe' || text === undefined) return undefined;
  const { channel: name, symbols } = splitAtFirst(text, '/');
  return [createFeedFilter(name, symbols?.[0] === 'all' ? undefined : symbols)];
});

export const hyperliquid = createForm(
  '{"method":"subscribe","subscription":{"type":"trades","coin":"BTC"}}',
  ({ method, subscription }) => {
    const { type, coin, fast } = toFields(subscription);
    const isFast = type === 'l2Book' && fast === true;
    return method === 'subscribe' ? toFilterList(isFast ? 'fastBook' : type, coin) : undefined;
  },
);

/** Exchanges whose messages have a list of texts, each with a channel and a symbol. */

export const bitmexForm = createForm('{"op":"subscribe","args":["trade:XBTUSD"]}', ({ op, args }) =>
  op === 'subscribe' ? mapAllOrNone(toTexts(args), (text) => splitAtFirst(text, ':')) : undefined,
);

export const coinflex = createForm('{"op":"subscribe","args":["trade:BTC-USD"]}', ({ op, args }) =>
  op === 'subscribe' ? mapAllOrNone(toTexts(args), (text) => splitAtFirst(text, ':')) : undefined,
);

/** `btcusdt@depth@100ms`: the text after a second `@` is the speed, which is not part of the channel. */
export const binance = createForm(
  '{"method":"SUBSCRIBE","params":["btcusdt@trade"]}',
  ({ method, params }) =>
    method === 'SUBSCRIBE'
      ? mapAllOrNone(toTexts(params), (text) => {
          const [symbol = '', ...rest] = text.split('@');
          const channel = rest.length > 1 ? rest.slice(0, -1).join('@') : rest[0];
          return channel === undefined ? undefined : createFeedFilter(channel, [symbol]);
        })
      : undefined,
);

export const mexc = createForm(
  '{"method":"SUBSCRIPTION","params":["spot@public.aggre.deals.v3.api.pb@10ms@BTCUSDT"]}',
  ({ method, params }) =>
    method === 'SUBSCRIPTION' ? mapAllOrNone(toTexts(params), (text) => splitAtLast(text, '@')) : undefined,
);

/** `orderbook.50.BTCUSDT`: the channel may contain dots. */
export const bybitForm = createForm('{"op":"subscribe","args":["orderbook.50.BTCUSDT"]}', ({ op, args }) =>
  op === 'subscribe' ? mapAllOrNone(toTexts(args), (text) => splitAtLast(text, '.')) : undefined,
);
