import type { FeedFilter } from '../../service/feed-filter.js';
import { isMessageFields, type MessageFields, toFields, toFieldsList } from '../message-fields.js';
import {
  createForm,
  eitherForm,
  mapAllOrNone,
  namedFilters,
  toFilter,
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
