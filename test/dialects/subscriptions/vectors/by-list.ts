import type { Vector } from './vector.js';

/** Of the exchanges that src/dialects/subscriptions/by-list.ts reads. */
export const BY_LIST: readonly Vector[] = [
  ['bitmex', { op: 'subscribe', args: 'trade:XBTUSD' }, 'trade XBTUSD'],
  [
    'bitmex',
    { op: 'subscribe', args: ['trade:XBTUSD', 'trade:ETHUSD', 'quote'] },
    'trade XBTUSD',
    'trade ETHUSD',
    'quote',
  ],
  [
    'binance,binance-futures,binance-delivery,binance-us,binance-jersey,aster',
    { method: 'SUBSCRIBE', params: ['btcusdt@depth@100ms'] },
    'depth btcusdt',
  ],
  [
    'binance-options',
    { method: 'SUBSCRIBE', params: ['BTC-210409-60000-C@DEPTH100'] },
    'DEPTH100 BTC-210409-60000-C',
  ],
  [
    'binance-european-options',
    { method: 'SUBSCRIBE', params: ['BTC-261225-90000-C@trade'] },
    'trade BTC-261225-90000-C',
  ],
  [
    'aster-futures',
    { method: 'SUBSCRIBE', params: ['btcusdt@trade', 'ethusdt@trade'] },
    'trade btcusdt',
    'trade ethusdt',
  ],
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
  ['coinflex', { op: 'subscribe', args: ['futures/depth:BTC-USD'] }, 'futures/depth BTC-USD'],
  [
    'mexc',
    { method: 'SUBSCRIPTION', params: ['spot@public.aggre.deals.v3.api.pb@10ms@BTCUSDT'] },
    'spot@public.aggre.deals.v3.api.pb@10ms BTCUSDT',
  ],
];
