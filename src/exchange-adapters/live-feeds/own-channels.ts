// Channels of WOO X: cspell:ignore woox

import { usageError } from '../../base/errors.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import { toFields } from '../message-fields.js';
import type { OwnChannels } from './live-feed.js';
import { decodeMexcFrame } from './mexc-frames.js';
import { bullishChannels, connectByPath, lighterChannels, polymarketChannels } from './own-exchanges.js';

const KRAKEN_DEPTH = 1000;
const GATE_IO_DEPTH = 400;
const WOO_X_DEPTH = 50;
/** Topics in one message to Bitget. */
const BITGET_BATCH = 10;
/** Aster accepts 5 messages a second in the spot market, and 10 in that of futures. */
const ASTER_PAUSE_MS = 250;

/** Of both exchanges of Bitfinex. */
const BITFINEX_TICKERS: OwnChannels = {
  subscribe: ({ channel, symbols = [] }) =>
    channel !== 'ticker'
      ? []
      : symbols.map((symbol) => ({ event: 'subscribe', channel, symbol: `t${symbol}` })),
};

/** Channels of the underlying, on a connection of their own. */
const OPTION_MARKET_CHANNELS: ReadonlySet<string> = new Set(['optionMarkPrice', 'optionOpenInterest']);

/** The open interest has a stream for each expiration, which only the symbols of the other channels name. */
function toOptionStreams(symbol: string, channel: string, filters: readonly FeedFilter[]): readonly string[] {
  if (channel === 'depth20') return [`${symbol}@depth20@100ms`];
  if (channel !== 'optionOpenInterest') return [`${symbol}@${channel}`];
  const options = filters.find((filter) => filter.channel === 'optionTicker')?.symbols ?? [];
  const expirations = options
    .map((option) => option.toLowerCase().split('-'))
    .filter(([base]) => `${base}usdt` === symbol)
    .map(([, expiration]) => expiration);
  return [...new Set(expirations)].map((expiration) => `${symbol}@${channel}@${expiration}`);
}

/** Books have their depth after the symbol. */
export function toWooXTopic(channel: string, symbol: string): string {
  return channel.startsWith('orderbook') ? `${channel}@${symbol}@${WOO_X_DEPTH}` : `${channel}@${symbol}`;
}

/** @throws usage error if a filter has no symbols. */
function requireSymbols(exchange: string, { symbols = [] }: FeedFilter): readonly string[] {
  if (symbols.length > 0) return symbols;
  throw usageError(`${exchange} requires symbols; list some, such as ${exchange}:SYMBOL`);
}

/**
 * Exchanges that are newer than the vendor's release, or whose APIs changed after it: the channels of
 * own/normalizer-eras.ts, by the exchanges' documentation (Aster Finance, WebSocket Market Streams; Kraken
 * WebSocket v2; Bitget unified trading account, Public channels; Gate API v4, Order book V2; Hyperliquid API,
 * Subscriptions; MEXC Spot V3 API, Websocket Market Streams; MEXC Futures API, WebSocket API; Binance Open
 * Platform, Options trading; WOO X, Public WebSocket v3; Gemini, WebSocket, Streams; Bitfinex WebSocket v2,
 * Ticker).
 */
export const OWN_CHANNELS: Readonly<Record<string, OwnChannels>> = {
  aster: createAsterChannels('wss://sstream.asterdex.com/stream'),
  'aster-futures': createAsterChannels('wss://fstream.asterdex.com/stream'),
  bullish: bullishChannels,
  lighter: lighterChannels,
  polymarket: polymarketChannels,
  'binance-european-options': {
    feed: {
      address: 'wss://fstream.binance.com',
      connections: connectByPath((channel) =>
        OPTION_MARKET_CHANNELS.has(channel) ? '/market/stream' : '/public/stream',
      ),
      throttleMs: 0,
      classify(message) {
        const { error, data } = toFields(message);
        return error !== undefined || toFields(data)['e'] === 'error' ? 'error' : 'data';
      },
    },
    subscribe: (filter, filters) => [
      {
        method: 'SUBSCRIBE',
        params: requireSymbols('binance-european-options', filter).flatMap((symbol) =>
          toOptionStreams(symbol.toLowerCase(), filter.channel, filters),
        ),
        id: filters.findIndex(({ channel }) => channel === filter.channel) + 1,
      },
    ],
  },
  bitfinex: BITFINEX_TICKERS,
  'bitfinex-derivatives': BITFINEX_TICKERS,
  gemini: {
    // The first message of a subscribed book is then the whole book.
    feed: {
      address: 'wss://ws.gemini.com?snapshot=-1',
      throttleMs: 0,
      classify(message) {
        const { result, error, status } = toFields(message);
        return result === 'error' || error !== undefined || Number(status) >= 400 ? 'error' : 'data';
      },
    },
    subscribe: (filter, filters) => [
      {
        method: 'SUBSCRIBE',
        params: requireSymbols('gemini', filter).map(
          (symbol) =>
            `${symbol.toLowerCase()}@${filter.channel === 'depth' ? 'depth@100ms' : filter.channel}`,
        ),
        id: filters.findIndex(({ channel }) => channel === filter.channel) + 1,
      },
    ],
  },
  // With this header, sizes are decimals, as the collector records them.
  'gate-io-futures': { headers: { 'x-gate-size-decimal': '1' }, subscribe: () => [] },
  'woo-x': {
    feed: {
      address: 'wss://wss.woox.io/v3/public',
      throttleMs: 0,
      classify(message) {
        const { success, errorMsg, cmd } = toFields(message);
        if (success === false || errorMsg !== undefined || cmd === 'ERROR') return 'error';
        return cmd === 'PING' ? 'heartbeat' : 'data';
      },
      onMessage(message, send) {
        if (toFields(message)['cmd'] === 'PING') send({ cmd: 'PONG' });
      },
    },
    // The book's snapshot, in the channel `orderbook`, is requested over HTTP (`HTTP_SUPPLEMENTS`).
    subscribe: (filter) =>
      filter.channel === 'orderbook'
        ? []
        : [
            {
              id: filter.channel,
              cmd: 'subscribe',
              params: requireSymbols('woo-x', filter).map((symbol) => toWooXTopic(filter.channel, symbol)),
            },
          ],
  },
  kraken: {
    feed: {
      address: 'wss://ws.kraken.com/v2',
      throttleMs: 0,
      classify(message) {
        const { success, channel } = toFields(message);
        if (success === false) return 'error';
        return channel === 'heartbeat' ? 'heartbeat' : 'data';
      },
    },
    subscribe: ({ channel, symbols = [] }) => [
      {
        method: 'subscribe',
        params: {
          channel,
          symbol: symbols,
          ...(channel === 'book' && { depth: KRAKEN_DEPTH }),
          ...(channel === 'ticker' && { event_trigger: 'bbo' }),
        },
      },
    ],
  },
  bitget: createBitgetChannels(() => 'spot'),
  'bitget-futures': createBitgetChannels((symbol) => {
    if (symbol.endsWith('USDT')) return 'usdt-futures';
    return symbol.endsWith('PERP') ? 'usdc-futures' : 'coin-futures';
  }),
  'gate-io': {
    subscribe: ({ channel, symbols = [] }) =>
      channel !== 'obu'
        ? []
        : symbols.map((symbol) => ({
            time: Math.floor(Date.now() / 1000),
            channel: 'spot.obu',
            event: 'subscribe',
            payload: [`ob.${symbol}.${GATE_IO_DEPTH}`],
          })),
  },
  hyperliquid: {
    subscribe: ({ channel, symbols = [] }) =>
      channel !== 'fastBook'
        ? []
        : symbols.map((coin) => ({
            method: 'subscribe',
            subscription: { type: 'l2Book', coin, fast: true },
          })),
  },
  mexc: {
    feed: {
      address: 'wss://wbs-api.mexc.com/ws',
      throttleMs: 0,
      decode: decodeMexcFrame,
      classify(message) {
        const { code, msg } = toFields(message);
        if (msg === 'PONG') return 'heartbeat';
        if (code !== undefined && code !== 0) return 'error';
        // The answer names the symbols that it does not accept, with the code of success.
        return /^not subscribed/i.test(String(msg)) ? 'ignored' : 'data';
      },
      ping: (send) => send({ method: 'PING' }),
    },
    subscribe: ({ channel, symbols = [] }) =>
      channel.includes('.snapshot.')
        ? []
        : [{ method: 'SUBSCRIPTION', params: symbols.map((symbol) => `${channel}@${symbol}`) }],
  },
  'mexc-futures': {
    feed: {
      address: 'wss://contract.mexc.com/edge',
      throttleMs: 20,
      classify(message) {
        const { channel, success, error } = toFields(message);
        if (channel === 'rs.error' || success === false || error !== undefined) return 'error';
        return channel === 'pong' ? 'heartbeat' : 'data';
      },
      ping: (send) => send({ method: 'ping' }),
    },
    subscribe: ({ channel, symbols = [] }) =>
      channel === 'push.depth.snapshot'
        ? []
        : symbols.map((symbol) => ({
            method: channel.replace('push.', 'sub.'),
            param: { symbol },
            gzip: false,
          })),
  },
};

/** Speeds of streams that have several; without a speed, they are slower. */
const ASTER_SPEEDS: Readonly<Record<string, string>> = { depth: '@0ms', markPrice: '@1s' };
/** Channels that the collector requests over HTTP. */
const ASTER_SUPPLEMENTS: ReadonlySet<string> = new Set(['depthSnapshot', 'openInterest']);

function createAsterChannels(address: string): OwnChannels {
  return {
    feed: {
      address,
      throttleMs: ASTER_PAUSE_MS,
      classify(message) {
        const { stream, code, error } = toFields(message);
        return stream === undefined && (code !== undefined || error !== undefined) ? 'error' : 'data';
      },
    },
    subscribe({ channel, symbols = [] }) {
      if (ASTER_SUPPLEMENTS.has(channel)) return [];
      const params = symbols.map((symbol) => `${symbol}@${channel}${ASTER_SPEEDS[channel] ?? ''}`);
      return [{ method: 'SUBSCRIBE', params, id: 1 }];
    },
  };
}

/** @param productOf maps a symbol to its product. */
function createBitgetChannels(productOf: (symbol: string) => string): OwnChannels {
  const products = ['usdt-futures', 'usdc-futures', 'coin-futures'];
  return {
    feed: {
      address: 'wss://ws.bitget.com/v3/ws/public',
      throttleMs: 100,
      classify: (message) => (toFields(message)['event'] === 'error' ? 'error' : 'data'),
    },
    subscribe({ channel, symbols }) {
      const topics =
        channel === 'liquidation'
          ? products.map((instType) => ({ instType, topic: channel }))
          : (symbols ?? []).map((symbol) => ({ instType: productOf(symbol), topic: channel, symbol }));
      return splitIntoBatches(topics, BITGET_BATCH).map((args) => ({ op: 'subscribe', args }));
    },
  };
}

function splitIntoBatches<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}
