import type { FeedFilter } from '../../service/feed-filter.js';
import { isMessageFields, type MessageFields, toFields, toFieldsList } from '../message-fields.js';
import { bybitForm } from './channels.js';
import {
  createForm,
  eitherForm,
  mapAllOrNone,
  namedFilters,
  type SubscriptionForm,
  splitAtFirst,
  toFilter,
  toFilterList,
  toText,
  toTexts,
} from './subscription-form.js';

/**
 * Exchanges whose names in messages differ from the feed's channels, or select several. An unknown name makes
 * the whole message invalid.
 */

function productChannels(
  key: 'product_ids' | 'product_codes',
  channels: Readonly<Record<string, readonly string[]>>,
): (message: MessageFields) => readonly FeedFilter[] | undefined {
  return (message) => {
    if (message['type'] !== 'subscribe' || !Array.isArray(message['channels'])) return undefined;
    return eachNamed(message['channels'] as readonly unknown[], (item) =>
      isMessageFields(item)
        ? namedFilters(item['name'], item[key] ?? message[key], channels)
        : namedFilters(item, message[key], channels),
    );
  };
}

export const coinbaseForm = createForm(
  '{"type":"subscribe","channels":["matches"],"product_ids":["BTC-USD"]}',
  productChannels('product_ids', {
    full: ['received', 'open', 'done', 'match', 'change', 'full_snapshot'],
    level2: ['snapshot', 'l2update'],
    level2_batch: ['snapshot', 'l2update'],
    matches: ['match', 'last_match'],
    ticker: ['ticker'],
  }),
);

/** Book changes are in the feed as `level`; the vendor's server requests `levels`, which does not exist. */
export const bitnomial = createForm(
  '{"type":"subscribe","channels":["trade"],"product_codes":["BUIH24"]}',
  productChannels('product_codes', { book: ['book', 'level'], trade: ['trade'], block: ['block'] }),
);

const GEMINI = { l2: ['trade', 'l2_updates', 'auction_open', 'auction_indicative', 'auction_result'] };

/** The second form since July 2026: `btcusd@depth@100ms`. */
export const gemini = eitherForm(
  createForm(
    '{"type":"subscribe","subscriptions":[{"name":"l2","symbols":["BTCUSD"]}]}',
    ({ type, subscriptions }) =>
      type === 'subscribe'
        ? eachNamed(toFieldsList(subscriptions), ({ name, symbols }) => namedFilters(name, symbols, GEMINI))
        : undefined,
  ),
  createForm('{"method":"SUBSCRIBE","params":["btcusd@trade"]}', ({ method, params }) =>
    method === 'SUBSCRIBE'
      ? mapAllOrNone(toTexts(params), (text) => {
          const [symbol = '', channel] = text.split('@');
          return toFilter(channel, symbol.toUpperCase());
        })
      : undefined,
  ),
);

export const serum = createForm(
  '{"op":"subscribe","channel":"trades","markets":["BTC/USDC"]}',
  ({ op, channel, markets }) =>
    op === 'subscribe'
      ? namedFilters(channel, markets, {
          trades: ['recent_trades', 'trade'],
          level1: ['quote'],
          level2: ['l2snapshot', 'l2update'],
          level3: ['l3snapshot', 'open', 'fill', 'change', 'done'],
        })
      : undefined,
);

export const hitbtc = createForm(
  '{"method":"subscribeTrades","params":{"symbol":"BTCUSD"}}',
  ({ method, params }) =>
    namedFilters(method, toFields(params)['symbol'], {
      subscribeTrades: ['snapshotTrades', 'updateTrades'],
      subscribeOrderbook: ['snapshotOrderbook', 'updateOrderbook'],
    }),
);

/** The symbols of a book are followed by its interval and depth. */
export const phemex = createForm('{"method":"trade.subscribe","params":["BTCUSD"]}', ({ method, params }) => {
  const symbols: unknown = Array.isArray(params)
    ? params.filter((item: unknown, at) => at === 0 || typeof item === 'string')
    : params;
  return namedFilters(method, symbols, {
    'orderbook.subscribe': ['book'],
    'orderbook_p.subscribe': ['orderbook_p'],
    'trade.subscribe': ['trades'],
    'trade_p.subscribe': ['trades_p'],
    'market24h.subscribe': ['market24h'],
    'spot_market24h.subscribe': ['spot_market24h'],
    'perp_market24h_pack_p.subscribe': ['perp_market24h_pack_p'],
  });
});

export const bullish = createForm(
  '{"method":"subscribe","params":{"topic":"anonymousTrades","symbol":"BTCUSDC"}}',
  ({ method, params }) => {
    const { topic, symbol, assetSymbol } = toFields(params);
    return method === 'subscribe'
      ? namedFilters(topic, symbol ?? assetSymbol, {
          l2Orderbook: ['V1TALevel2'],
          l1Orderbook: ['V1TALevel1'],
          anonymousTrades: ['V1TAAnonymousTradeUpdate'],
          tick: ['V1TATickerResponse'],
          indexPrice: ['V1TAIndexPrice'],
        })
      : undefined;
  },
);

export const mexcFutures = createForm(
  '{"method":"sub.deal","param":{"symbol":"BTC_USDT"}}',
  ({ method, param }) =>
    namedFilters(method, toFields(param)['symbol'], {
      'sub.deal': ['push.deal'],
      'sub.depth': ['push.depth'],
      'sub.ticker': ['push.ticker'],
      'sub.index.price': ['push.index.price'],
      'sub.fair.price': ['push.fair.price'],
      'sub.funding.rate': ['push.funding.rate'],
      'sub.contract': ['push.contract'],
    }),
);

const POLYMARKET = ['book', 'price_change', 'last_trade_price', 'tick_size_change'];
const POLYMARKET_CUSTOM = ['best_bid_ask', 'new_market', 'market_resolved'];

export const polymarket = createForm(
  '{"type":"market","assets_ids":["1234"],"custom_feature_enabled":true}',
  ({ type, assets_ids, custom_feature_enabled }) => {
    if (type !== 'market') return undefined;
    const more = custom_feature_enabled === true ? POLYMARKET_CUSTOM : [];
    return mapAllOrNone([...POLYMARKET, ...more], (channel) => toFilter(channel, assets_ids));
  },
);

/** Reads the filters of all items; undefined if one item has none, or if there are no items. */
function eachNamed<Item>(
  items: readonly Item[],
  read: (item: Item) => readonly FeedFilter[] | undefined,
): readonly FeedFilter[] | undefined {
  const filters = items.map(read);
  return filters.length > 0 && filters.every((some) => some !== undefined) ? filters.flat() : undefined;
}

/** Exchanges whose messages changed with a version of their API; all versions are accepted. */

/**
 * `spot/trade:BTC-USDT` in v3; in v5 an object with an instrument, a family or, without either, all of a
 * type.
 */
export const okex = createForm(
  '{"op":"subscribe","args":[{"channel":"trades-all","instId":"BTC-USDT"}]}',
  ({ op, args }) => {
    if (op !== 'subscribe') return undefined;
    if (toTexts(args)) return mapAllOrNone(toTexts(args), (text) => splitAtFirst(text, ':'));
    return mapAllOrNone(toFieldsList(args), ({ channel, instId, instFamily, uly, sprdId }) =>
      toFilter(channel, instId ?? sprdId ?? instFamily ?? uly),
    );
  },
);

export const kraken = eitherForm(
  createForm(
    '{"method":"subscribe","params":{"channel":"trade","symbol":["BTC/USD"]}}',
    ({ method, params }) => {
      const { channel, symbol } = toFields(params);
      return method === 'subscribe' ? toFilterList(channel, symbol) : undefined;
    },
  ),
  createForm(
    '{"event":"subscribe","pair":["XBT/USD"],"subscription":{"name":"trade"}}',
    ({ event, subscription, pair }) =>
      event === 'subscribe' ? toFilterList(toFields(subscription)['name'], pair) : undefined,
  ),
);

/** `ob.BTC_USDT.400`, in the newest order book channel. */
const GATE_STREAM = /^ob\.(.+)\.\d+$/;

/**
 * `spot.trades`, `futures.trades`. The payload has symbols; for order books one symbol, its depth and its
 * speed.
 */
const gateV4 = (example: string): SubscriptionForm =>
  createForm(example, ({ event, channel, payload }) => {
    const name = toText(channel)?.split('.')[1];
    const texts = toFirstTexts(payload)?.map((text) => GATE_STREAM.exec(text)?.[1] ?? text);
    if (event !== 'subscribe' || name === undefined || texts === undefined) return undefined;
    return toFilterList(name, name.startsWith('order_book') ? texts.slice(0, 1) : texts);
  });

export const gateIo = eitherForm(
  gateV4('{"event":"subscribe","channel":"spot.trades","payload":["BTC_USDT"]}'),
  createForm('{"method":"trades.subscribe","params":["BTC_USDT"]}', ({ method, params }) => {
    const [name, what] = (toText(method) ?? '').split('.');
    const symbols = toFirstTexts(params);
    return what === 'subscribe' && symbols ? toFilterList(name, symbols) : undefined;
  }),
);

export const gateIoFutures = gateV4(
  '{"event":"subscribe","channel":"futures.trades","payload":["BTC_USDT"]}',
);

export const poloniex = eitherForm(
  createForm(
    '{"event":"subscribe","channel":["trades"],"symbols":["BTC_USDT"]}',
    ({ event, channel, symbols }) =>
      event === 'subscribe' ? mapAllOrNone(toTexts(channel), (name) => toFilter(name, symbols)) : undefined,
  ),
  createForm('{"command":"subscribe","channel":"BTC_ETH"}', ({ command, channel }) => {
    const symbol = toText(channel);
    return command === 'subscribe' && symbol ? toFilterList('price_aggregated_book', symbol) : undefined;
  }),
);

/** The first day of version 5 of Bybit's API, in microseconds. */
const BYBIT_V5 = Date.parse('2023-04-05') * 1000;

const bybitSpotBeforeV5 = createForm(
  '{"event":"sub","topic":"trade","symbol":"BTCUSDT"}',
  ({ event, topic, symbol }) => (event === 'sub' ? toFilterList(topic, symbol) : undefined),
);

export const bybitSpot = {
  example: bybitForm.example,
  read: (message: unknown, at: number): readonly FeedFilter[] | undefined =>
    (at < BYBIT_V5 ? bybitSpotBeforeV5 : bybitForm).read(message, at),
};

/** `channel` and `instId` in v2, `topic` and `symbol` in v3. */
export const bitget = createForm(
  '{"op":"subscribe","args":[{"instType":"spot","topic":"publicTrade","symbol":"BTCUSDT"}]}',
  ({ op, args }) =>
    op === 'subscribe'
      ? mapAllOrNone(toFieldsList(args), ({ channel, topic, instId, symbol }) =>
          toFilter(topic ?? channel, symbol ?? instId),
        )
      : undefined,
);

/** The texts of a list, or the first of each list in it; empty if omitted. */
function toFirstTexts(value: unknown): readonly string[] | undefined {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
  if (!Array.isArray(value)) return toTexts(value);
  return toTexts(value.map((item: unknown) => (Array.isArray(item) ? (item[0] as unknown) : item)));
}
