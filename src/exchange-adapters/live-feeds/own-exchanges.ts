import type { FeedFilter } from '../../service/feed-filter.js';
import { toFields } from '../message-fields.js';
import type { OwnChannels, OwnConnection } from './live-feed.js';

/**
 * Exchanges that the vendor's release does not know, by their documentation: Lighter API, WebSocket and Rate
 * limits; Bullish Trading API, WebSocket Public API; Polymarket documentation, Market channel.
 */

/** Lighter accepts 200 messages a minute from one address. */
const LIGHTER_PAUSE_MS = 300;

export const lighterChannels: OwnChannels = {
  feed: {
    address: 'wss://mainnet.zklighter.elliot.ai/stream',
    throttleMs: LIGHTER_PAUSE_MS,
    classify(message) {
      const { error, type } = toFields(message);
      if (error !== undefined && error !== null) return 'error';
      return type === 'ping' || type === 'pong' ? 'heartbeat' : 'data';
    },
    onMessage(message, send) {
      if (toFields(message)['type'] === 'ping') send({ type: 'pong' });
    },
  },
  subscribe: ({ channel, symbols }) =>
    (channel === 'market_stats' ? ['all'] : (symbols ?? [])).map((market) => ({
      type: 'subscribe',
      channel: `${channel}/${market}`,
    })),
};

const BULLISH_API = '/trading-api/v1';

/** The topic of each channel, the path of its connection, and the name of its symbol. */
const BULLISH_TOPICS: Readonly<Record<string, BullishTopic>> = {
  V1TALevel2: { topic: 'l2Orderbook', path: '/market-data/orderbook', key: 'symbol' },
  V1TALevel1: { topic: 'l1Orderbook', path: '/market-data/orderbook', key: 'symbol' },
  V1TAAnonymousTradeUpdate: { topic: 'anonymousTrades', path: '/market-data/trades', key: 'symbol' },
  V1TATickerResponse: { topic: 'tick', path: '/market-data/tick', key: 'symbol' },
  V1TAIndexPrice: { topic: 'indexPrice', path: '/index-data', key: 'assetSymbol' },
};

interface BullishTopic {
  readonly topic: string;
  readonly path: string;
  readonly key: 'symbol' | 'assetSymbol';
}

/** A connection for each path. @param pathOf path of a channel's connection. */
export function connectByPath(
  pathOf: (channel: string) => string,
): (filters: readonly FeedFilter[]) => readonly OwnConnection[] {
  return (filters) =>
    [...new Set(filters.map(({ channel }) => pathOf(channel)))].map((path) => ({
      path,
      filters: filters.filter(({ channel }) => pathOf(channel) === path),
    }));
}

/** The id of a message only has to differ from those of the connection's other messages. */
function bullishCommand(method: string, params: object, id: string): object {
  return { jsonrpc: '2.0', type: 'command', method, params, id };
}

function subscribeToBullish({ channel, symbols = [] }: FeedFilter): readonly object[] {
  const known = BULLISH_TOPICS[channel];
  if (known === undefined) return [];
  const { topic, key } = known;
  return symbols.map((symbol) => bullishCommand('subscribe', { topic, [key]: symbol }, `${topic}-${symbol}`));
}

export const bullishChannels: OwnChannels = {
  feed: {
    address: 'wss://api.exchange.bullish.com',
    throttleMs: 0,
    connections: connectByPath((channel) => BULLISH_API + (BULLISH_TOPICS[channel]?.path ?? '')),
    classify(message) {
      const { dataType, error, result } = toFields(message);
      const { message: answer, errorCode } = toFields(result);
      if ((error !== undefined && error !== null) || errorCode !== undefined) return 'error';
      return dataType === 'V1TAHeartbeat' || answer === 'Keep alive pong' ? 'heartbeat' : 'data';
    },
    ping: (send) => send(bullishCommand('keepalivePing', {}, 'ping')),
  },
  subscribe: subscribeToBullish,
};

/** Tokens that one connection may subscribe to. */
const POLYMARKET_MAX_TOKENS = 500;
const PONG = Buffer.from('PONG');

/** One message subscribes to all channels of tokens, and must be the first. */
function connectToPolymarket(filters: readonly FeedFilter[]): readonly OwnConnection[] {
  const tokens = [...new Set(filters.flatMap(({ symbols }) => symbols ?? []))];
  const count = Math.ceil(tokens.length / POLYMARKET_MAX_TOKENS);
  return Array.from({ length: count }, (_, i) => {
    const assets_ids = tokens.slice(i * POLYMARKET_MAX_TOKENS, (i + 1) * POLYMARKET_MAX_TOKENS);
    const isHere = new Set(assets_ids);
    return {
      filters: filters.map(({ channel, symbols = [] }) => ({
        channel,
        symbols: symbols.filter((symbol) => isHere.has(symbol)),
      })),
      messages: [{ type: 'market', assets_ids, initial_dump: true, level: 2, custom_feature_enabled: true }],
    };
  });
}

export const polymarketChannels: OwnChannels = {
  feed: {
    address: 'wss://ws-subscriptions-clob.polymarket.com/ws/market',
    throttleMs: 0,
    connections: connectToPolymarket,
    // The answer to a ping is the only message that is not JSON.
    decode: (data) => (data.equals(PONG) ? Buffer.from('"PONG"') : data),
    classify(message) {
      if (message === 'PONG') return 'heartbeat';
      return toFields(message)['error'] === undefined ? 'data' : 'error';
    },
    ping: (send) => send('PING'),
  },
  subscribe: () => [],
};
