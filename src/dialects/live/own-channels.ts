import type { FeedFilter } from '../../service/feed-filter.js';
import { toFields } from '../message-fields.js';
import type { LiveFeed } from './live-feed.js';

/** Subscriptions to channels that tickhaul's own normalizers read. */
export interface OwnChannels {
  /** The connection, if all channels of the exchange are defined here; if omitted, the vendor's. */
  readonly feed?: Pick<LiveFeed, 'address' | 'throttleMs' | 'classify'>;
  /** The subscribe messages for a filter; empty for a channel that is not defined here. */
  readonly subscribe: (filter: FeedFilter) => readonly object[];
}

const KRAKEN_DEPTH = 1000;
const GATE_IO_DEPTH = 400;
/** Topics in one message to Bitget. */
const BITGET_BATCH = 10;

/**
 * Exchanges' APIs that changed after the vendor's release: the channels of own/normalizer-eras.ts, by the
 * exchanges' documentation (Kraken WebSocket v2; Bitget unified trading account, Public channels; Gate API
 * v4, Order book V2; Hyperliquid API, Subscriptions).
 */
export const OWN_CHANNELS: Readonly<Record<string, OwnChannels>> = {
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
};

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
