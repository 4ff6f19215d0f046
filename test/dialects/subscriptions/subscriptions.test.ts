import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSubscription } from '../../../src/dialects/subscriptions/subscriptions.js';

const NOW = Date.parse('2026-08-01') * 1000;

/** Exchange, the message of its clients, and `channel symbol,symbol` for each filter (all without symbols). */
const VECTORS: readonly (readonly [string, unknown, ...string[]])[] = [
  ['bitmex', { op: 'subscribe', args: 'trade:XBTUSD' }, 'trade XBTUSD'],
  [
    'bitmex',
    { op: 'subscribe', args: ['trade:XBTUSD', 'trade:ETHUSD', 'quote'] },
    'trade XBTUSD',
    'trade ETHUSD',
    'quote',
  ],
  ['binance', { method: 'SUBSCRIBE', params: ['btcusdt@depth@100ms'] }, 'depth btcusdt'],
  [
    'aster-futures',
    { method: 'SUBSCRIBE', params: ['btcusdt@trade', 'ethusdt@trade'] },
    'trade btcusdt',
    'trade ethusdt',
  ],
  ['binance-dex', { method: 'subscribe', topic: 'trades', symbols: ['BNB_BTCB-1DE'] }, 'trades BNB_BTCB-1DE'],
  [
    'coinbase',
    {
      type: 'subscribe',
      product_ids: ['BTC-USD'],
      channels: ['level2', { name: 'ticker', product_ids: ['ETH-USD'] }],
    },
    'snapshot BTC-USD',
    'l2update BTC-USD',
    'ticker ETH-USD',
  ],
  [
    'coinbase',
    { type: 'subscribe', channels: [{ name: 'full' }] },
    ...['received', 'open', 'done', 'match', 'change', 'full_snapshot'],
  ],
  [
    'coinbase-international',
    { type: 'SUBSCRIBE', channels: ['MATCH', 'RISK'], product_ids: ['BTC-PERP'] },
    'MATCH BTC-PERP',
    'RISK BTC-PERP',
  ],
  [
    'deribit',
    {
      method: 'public/subscribe',
      params: { channels: ['book.BTC-PERPETUAL.raw', 'deribit_price_index.btc_usd', 'platform_state'] },
    },
    'book BTC-PERPETUAL',
    'deribit_price_index btc_usd',
    'platform_state',
  ],
  ['cryptofacilities', { event: 'subscribe', feed: 'trade', product_ids: ['PI_XBTUSD'] }, 'trade PI_XBTUSD'],
  [
    'bitstamp',
    { event: 'bts:subscribe', data: { channel: 'diff_order_book_btcusd' } },
    'diff_order_book btcusd',
  ],
  ['okex', { op: 'subscribe', args: ['spot/trade:BTC-USDT'] }, 'spot/trade BTC-USDT'],
  [
    'okex-swap',
    {
      op: 'subscribe',
      args: [
        { channel: 'trades-all', instId: 'BTC-USDT-SWAP' },
        { channel: 'liquidation-orders', instType: 'SWAP' },
      ],
    },
    'trades-all BTC-USDT-SWAP',
    'liquidation-orders',
  ],
  [
    'okex-options',
    { op: 'subscribe', args: [{ channel: 'opt-summary', instFamily: 'BTC-USD' }] },
    'opt-summary BTC-USD',
  ],
  ['okex-spreads', { op: 'subscribe', args: [{ channel: 'sprd-books5', sprdId: 'A_B' }] }, 'sprd-books5 A_B'],
  ['ftx', { op: 'subscribe', channel: 'trades', market: 'BTC-PERP' }, 'trades BTC-PERP'],
  ['kraken', { event: 'subscribe', pair: ['XBT/USD'], subscription: { name: 'book' } }, 'book XBT/USD'],
  [
    'kraken',
    { method: 'subscribe', params: { channel: 'book', symbol: ['BTC/USD'], depth: 10 } },
    'book BTC/USD',
  ],
  ['kraken', { method: 'subscribe', params: { channel: 'instrument' } }, 'instrument'],
  [
    'bitflyer',
    { method: 'subscribe', params: { channel: 'lightning_board_snapshot_BTC_JPY' } },
    'lightning_board_snapshot BTC_JPY',
  ],
  [
    'bitflyer',
    { method: 'subscribe', params: { channel: 'lightning_board_FX_BTC_JPY' } },
    'lightning_board FX_BTC_JPY',
  ],
  [
    'gemini',
    { type: 'subscribe', subscriptions: [{ name: 'l2', symbols: ['BTCUSD'] }] },
    ...['trade', 'l2_updates', 'auction_open', 'auction_indicative', 'auction_result'].map(
      (c) => `${c} BTCUSD`,
    ),
  ],
  ['huobi', { sub: 'market.btcusdt.trade.detail' }, 'trade btcusdt'],
  ['huobi-dm-swap', { sub: 'market.BTC-USD.depth.size_150.high_freq' }, 'depth BTC-USD'],
  [
    'bybit',
    { op: 'subscribe', args: ['orderbook.50.BTCUSDT', 'publicTrade.BTCUSDT'] },
    'orderbook.50 BTCUSDT',
    'publicTrade BTCUSDT',
  ],
  [
    'bybit-options',
    { op: 'subscribe', args: ['orderbook.25.BTC-3FEB23-24250-C'] },
    'orderbook.25 BTC-3FEB23-24250-C',
  ],
  ['bybit-spot', { op: 'subscribe', args: ['orderbook.50.BTCUSDT'] }, 'orderbook.50 BTCUSDT'],
  ['blockchain-com', { action: 'subscribe', channel: 'l2', symbol: 'BTC-USD' }, 'l2 BTC-USD'],
  [
    'hitbtc',
    { method: 'subscribeTrades', params: { symbol: 'BTCUSD' } },
    'snapshotTrades BTCUSD',
    'updateTrades BTCUSD',
  ],
  ['bitfinex', { event: 'subscribe', channel: 'trades', symbol: 'tBTCUSD' }],
  ['coinflex', { op: 'subscribe', args: ['futures/depth:BTC-USD'] }, 'futures/depth BTC-USD'],
  ['phemex', { method: 'orderbook.subscribe', params: ['BTCUSD'] }, 'book BTCUSD'],
  ['phemex', { method: 'market24h.subscribe', params: [] }, 'market24h'],
  [
    'delta',
    {
      type: 'subscribe',
      payload: {
        channels: [
          { name: 'mark_price', symbols: ['BTCUSD'] },
          { name: 'all_trades', symbols: ['BTCUSD'] },
        ],
      },
    },
    'mark_price MARK:BTCUSD',
    'all_trades BTCUSD',
  ],
  ['gate-io', { method: 'trades.subscribe', params: ['BTC_USDT', 'ETH_USDT'] }, 'trades BTC_USDT,ETH_USDT'],
  [
    'gate-io',
    {
      method: 'depth.subscribe',
      params: [
        ['BTC_USDT', 30, '0.01'],
        ['ETH_USDT', 30, '0.01'],
      ],
    },
    'depth BTC_USDT,ETH_USDT',
  ],
  [
    'gate-io',
    { event: 'subscribe', channel: 'spot.trades', payload: ['BTC_USDT', 'ETH_USDT'] },
    'trades BTC_USDT,ETH_USDT',
  ],
  [
    'gate-io',
    { event: 'subscribe', channel: 'spot.order_book_update', payload: ['BTC_USDT', '100ms'] },
    'order_book_update BTC_USDT',
  ],
  ['gate-io', { event: 'subscribe', channel: 'spot.obu', payload: ['ob.BTC_USDT.400'] }, 'obu BTC_USDT'],
  [
    'gate-io-futures',
    { event: 'subscribe', channel: 'futures.trades', payload: ['BTC_USD'] },
    'trades BTC_USD',
  ],
  [
    'gate-io-futures',
    { event: 'subscribe', channel: 'futures.order_book', payload: ['BTC_USD', '20', '0'] },
    'order_book BTC_USD',
  ],
  ['poloniex', { command: 'subscribe', channel: 'BTC_ETH' }, 'price_aggregated_book BTC_ETH'],
  ['poloniex', { event: 'subscribe', channel: ['book_lv2'], symbols: ['BTC_USDT'] }, 'book_lv2 BTC_USDT'],
  ['ascendex', { op: 'sub', id: 'a', ch: 'trades:BTC/USDT' }, 'trades BTC/USDT'],
  [
    'ascendex',
    { op: 'req', action: 'depth-snapshot-realtime', args: { symbol: 'BTC/USDT' } },
    'depth-snapshot-realtime BTC/USDT',
  ],
  ['dydx', { type: 'subscribe', channel: 'v3_trades', id: 'BTC-USD' }, 'v3_trades BTC-USD'],
  ['dydx-v4', { type: 'subscribe', channel: 'v4_markets' }, 'v4_markets'],
  [
    'upbit',
    [{ ticket: 'x' }, { type: 'trade', codes: ['KRW-BTC'] }, { type: 'orderbook', codes: ['KRW-ETH'] }],
    'trade KRW-BTC',
    'orderbook KRW-ETH',
  ],
  [
    'serum',
    { op: 'subscribe', channel: 'level2', markets: ['BTC/USDC'] },
    'l2snapshot BTC/USDC',
    'l2update BTC/USDC',
  ],
  ['crypto-com', { method: 'subscribe', params: { channels: ['BTC_USDT.book'] } }, 'book BTC_USDT'],
  [
    'crypto-com',
    { method: 'subscribe', params: { channels: ['book.BTC_USDT.10', 'trade.ETH_USDT'] } },
    'book BTC_USDT',
    'trade ETH_USDT',
  ],
  [
    'kucoin',
    { type: 'subscribe', topic: '/market/ticker:BTC-USDT,ETH-USDT' },
    'market/ticker BTC-USDT,ETH-USDT',
  ],
  [
    'bitnomial',
    { type: 'subscribe', product_codes: ['BUI'], channels: ['book', 'trade'] },
    'book BUI',
    'levels BUI',
    'trade BUI',
  ],
  ['woo-x', { event: 'subscribe', topic: 'PERP_BTC_USDT@trade' }, 'trade PERP_BTC_USDT'],
  [
    'woo-x',
    { cmd: 'SUBSCRIBE', data: ['trade@PERP_BTC_USDT', 'bbo@SPOT_ETH_USDT'] },
    'trade PERP_BTC_USDT',
    'bbo SPOT_ETH_USDT',
  ],
  [
    'bitget',
    { op: 'subscribe', args: [{ instType: 'SPOT', channel: 'books15', instId: 'BTCUSDT' }] },
    'books15 BTCUSDT',
  ],
  [
    'bitget-futures',
    {
      op: 'subscribe',
      args: [
        { instType: 'usdt-futures', topic: 'books', symbol: 'BTCUSDT' },
        { instType: 'usdt-futures', topic: 'liquidation' },
      ],
    },
    'books BTCUSDT',
    'liquidation',
  ],
  [
    'mexc',
    { method: 'SUBSCRIPTION', params: ['spot@public.aggre.deals.v3.api.pb@10ms@BTCUSDT'] },
    'spot@public.aggre.deals.v3.api.pb@10ms BTCUSDT',
  ],
  ['mexc-futures', { method: 'sub.index.price', param: { symbol: 'BTC_USDT' } }, 'push.index.price BTC_USDT'],
  ['mexc-futures', { method: 'sub.contract' }, 'push.contract'],
  ['hyperliquid', { method: 'subscribe', subscription: { type: 'l2Book', coin: 'BTC' } }, 'l2Book BTC'],
  [
    'hyperliquid',
    { method: 'subscribe', subscription: { type: 'l2Book', coin: 'BTC', fast: true } },
    'fastBook BTC',
  ],
  ['lighter', { type: 'subscribe', channel: 'trade/1' }, 'trade 1'],
  ['lighter', { type: 'subscribe', channel: 'market_stats/all' }, 'market_stats'],
  [
    'bullish',
    { method: 'subscribe', params: { topic: 'l2Orderbook', symbol: 'BTCUSDC' } },
    'V1TALevel2 BTCUSDC',
  ],
  [
    'bullish',
    { method: 'subscribe', params: { topic: 'indexPrice', assetSymbol: 'BTC' } },
    'V1TAIndexPrice BTC',
  ],
  [
    'polymarket',
    { type: 'market', assets_ids: ['7'], custom_feature_enabled: true },
    ...[
      'book',
      'price_change',
      'last_trade_price',
      'tick_size_change',
      'best_bid_ask',
      'new_market',
      'market_resolved',
    ].map((c) => `${c} 7`),
  ],
];

test("exchanges' own subscribe messages become filters", () => {
  for (const [exchange, message, ...expected] of VECTORS) {
    const { filters } = readSubscription(exchange, message, NOW);
    const found = filters?.map(({ channel, symbols }) =>
      [channel, ...(symbols ? [symbols.join()] : [])].join(' '),
    );
    assert.deepEqual(found, expected, `${exchange} ${JSON.stringify(message)}`);
  }
});

test("bybit-spot's messages are those of the time that is replayed", () => {
  const before = Date.parse('2023-04-04') * 1000;
  const old = { event: 'sub', topic: 'trade', symbol: 'BTCUSDT' };
  const filters = [{ channel: 'trade', symbols: ['BTCUSDT'] }];
  assert.deepEqual(readSubscription('bybit-spot', old, before), { filters });
  assert.equal(readSubscription('bybit-spot', old, NOW).filters, undefined);
});

test('what is not understood gets the message that would be, and that one is', () => {
  const exchanges = new Set(VECTORS.map(([exchange]) => exchange).filter((name) => name !== 'bitfinex'));
  for (const exchange of exchanges) {
    for (const message of [undefined, null, 1, 'x', [], {}, { op: 'unsubscribe', args: [1] }]) {
      const answer = readSubscription(exchange, message, NOW);
      assert.equal(answer.filters, undefined, `${exchange} ${JSON.stringify(message)}`);
      if (answer.filters) continue;
      const example = answer.advice.slice(answer.advice.search(/[[{]/));
      const { filters } = readSubscription(exchange, JSON.parse(example), NOW);
      assert.ok(filters && filters.length > 0, `${exchange} ${example}`);
    }
  }
  assert.deepEqual(readSubscription('nowhere', {}, NOW), {
    filters: undefined,
    advice: 'no subscribe messages of nowhere are known',
  });
});

test('one name that is not known, or a symbol that is no text, voids the message', () => {
  for (const [exchange, message] of [
    ['coinbase', { type: 'subscribe', channels: ['matches', 'candles'], product_ids: ['BTC-USD'] }],
    ['coinbase', { type: 'subscribe', channels: ['matches'], product_ids: [7] }],
    ['gemini', { type: 'subscribe', subscriptions: [{ name: 'candles_1m', symbols: ['BTCUSD'] }] }],
    ['serum', { op: 'subscribe', channel: 'level4', markets: ['BTC/USDC'] }],
    ['bitnomial', { type: 'subscribe', channels: ['toString'] }],
    ['okex', { op: 'subscribe', args: [{ channel: 'trades', instId: {} }] }],
  ] as const) {
    assert.equal(readSubscription(exchange, message, NOW).filters, undefined, JSON.stringify(message));
  }
});
