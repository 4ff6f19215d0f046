import type { Vector } from './vector.js';

/** Of the exchanges that src/dialects/subscriptions/by-name.ts reads. */
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
