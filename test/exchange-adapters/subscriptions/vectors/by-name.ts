import type { Vector } from './vector.js';

/** Of the exchanges that src/exchange-adapters/subscriptions/by-name.ts reads. */
export const BY_NAME: readonly Vector[] = [
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
    { type: 'subscribe', product_ids: ['BTC-USD'], channels: ['level2_batch', 'matches'] },
    ...['snapshot', 'l2update', 'match', 'last_match'].map((c) => `${c} BTC-USD`),
  ],
  [
    'coinbase',
    { type: 'subscribe', channels: [{ name: 'full' }] },
    ...['received', 'open', 'done', 'match', 'change', 'full_snapshot'],
  ],
  [
    'gemini',
    { type: 'subscribe', subscriptions: [{ name: 'l2', symbols: ['BTCUSD'] }] },
    ...['trade', 'l2_updates', 'auction_open', 'auction_indicative', 'auction_result'].map(
      (c) => `${c} BTCUSD`,
    ),
  ],
  [
    'hitbtc',
    { method: 'subscribeTrades', params: { symbol: 'BTCUSD' } },
    'snapshotTrades BTCUSD',
    'updateTrades BTCUSD',
  ],
  ['phemex', { method: 'orderbook.subscribe', params: ['BTCUSD'] }, 'book BTCUSD'],
  ['phemex', { method: 'orderbook_p.subscribe', params: ['BTCUSDT', false, 30] }, 'orderbook_p BTCUSDT'],
  [
    'phemex',
    { id: 0, method: 'trade_p.subscribe', params: ['BTCUSDT', 'ETHUSDT'] },
    'trades_p BTCUSDT,ETHUSDT',
  ],
  ['phemex', { method: 'market24h.subscribe', params: [] }, 'market24h'],
  ['phemex', { method: 'perp_market24h_pack_p.subscribe', params: [] }, 'perp_market24h_pack_p'],
  [
    'serum,mango,star-atlas',
    { op: 'subscribe', channel: 'level2', markets: ['BTC/USDC'] },
    'l2snapshot BTC/USDC',
    'l2update BTC/USDC',
  ],
  [
    'bitnomial',
    { type: 'subscribe', product_codes: ['BUI'], channels: ['book', 'trade'] },
    'book BUI',
    'level BUI',
    'trade BUI',
  ],
  ['mexc-futures', { method: 'sub.index.price', param: { symbol: 'BTC_USDT' } }, 'push.index.price BTC_USDT'],
  ['mexc-futures', { method: 'sub.contract' }, 'push.contract'],
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

/** Of the exchanges whose messages changed with a version of their API. */
export const VERSIONS: readonly Vector[] = [
  ['okex,okcoin', { op: 'subscribe', args: ['spot/trade:BTC-USDT'] }, 'spot/trade BTC-USDT'],
  [
    'okex-futures',
    { op: 'subscribe', args: ['futures/depth:BTC-USD-200626', 'futures/trade:BTC-USD-200626'] },
    'futures/depth BTC-USD-200626',
    'futures/trade BTC-USD-200626',
  ],
  ['okex,okcoin', { op: 'subscribe', args: [{ channel: 'trades', instId: 'BTC-USDT' }] }, 'trades BTC-USDT'],
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
  ['kraken', { event: 'subscribe', pair: ['XBT/USD'], subscription: { name: 'book' } }, 'book XBT/USD'],
  [
    'kraken',
    { method: 'subscribe', params: { channel: 'book', symbol: ['BTC/USD'], depth: 10 } },
    'book BTC/USD',
  ],
  ['kraken', { method: 'subscribe', params: { channel: 'instrument' } }, 'instrument'],
  ['bybit-spot', { op: 'subscribe', args: ['orderbook.50.BTCUSDT'] }, 'orderbook.50 BTCUSDT'],
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
];
