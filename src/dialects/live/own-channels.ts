import { toFields } from '../message-fields.js';
import type { OwnChannels } from './live-feed.js';
import { decodeMexcFrame } from './mexc-frames.js';
import { bullishChannels, lighterChannels, polymarketChannels } from './own-exchanges.js';

const KRAKEN_DEPTH = 1000;
const GATE_IO_DEPTH = 400;
/** Topics in one message to Bitget. */
const BITGET_BATCH = 10;
/** Aster accepts 5 messages a second in the spot market, and 10 in that of futures. */
const ASTER_PAUSE_MS = 250;

/**
 * Exchanges that are newer than the vendor's release, or whose APIs changed after it: the channels of
 * own/normalizer-eras.ts, by the exchanges' documentation (Aster Finance, WebSocket Market Streams; Kraken
 * WebSocket v2; Bitget unified trading account, Public channels; Gate API v4, Order book V2; Hyperliquid API,
 * Subscriptions; MEXC Spot V3 API, Websocket Market Streams; MEXC Futures API, WebSocket API).
 */
export const OWN_CHANNELS: Readonly<Record<string, OwnChannels>> = {
  aster: createAsterChannels('wss://sstream.asterdex.com/stream'),
  'aster-futures': createAsterChannels('wss://fstream.asterdex.com/stream'),
  bullish: bullishChannels,
  lighter: lighterChannels,
  polymarket: polymarketChannels,
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
