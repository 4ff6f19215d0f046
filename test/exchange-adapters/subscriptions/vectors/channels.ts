import type { Vector } from './vector.js';

/** Of the exchanges that src/exchange-adapters/subscriptions/channels.ts reads. */
export const CHANNELS: readonly Vector[] = [
  ['binance-dex', { method: 'subscribe', topic: 'trades', symbols: ['BNB_BTCB-1DE'] }, 'trades BNB_BTCB-1DE'],
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
  ['ftx,ftx-us', { op: 'subscribe', channel: 'trades', market: 'BTC-PERP' }, 'trades BTC-PERP'],
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
  ['huobi', { sub: 'market.btcusdt.trade.detail' }, 'trade btcusdt'],
  ['huobi-dm-options', { sub: 'market.BTC-USDT-210813-C-46000.detail' }, 'detail BTC-USDT-210813-C-46000'],
  ['huobi-dm', { op: 'sub', topic: 'public.BTC.liquidation_orders' }, 'liquidation_orders BTC'],
  [
    'huobi-dm-swap,huobi-dm-linear-swap',
    { op: 'sub', cid: '1', topic: 'public.BTC-USDT.funding_rate' },
    'funding_rate BTC-USDT',
  ],
  ['huobi-dm-swap', { sub: 'market.BTC-USD.depth.size_150.high_freq' }, 'depth BTC-USD'],
  ['blockchain-com', { action: 'subscribe', channel: 'l2', symbol: 'BTC-USD' }, 'l2 BTC-USD'],
  [
    'delta',
    {
      type: 'subscribe',
      payload: {
        channels: [
          { name: 'mark_price', symbols: ['BTCUSD'] },
          { name: 'mark_price', symbols: ['MARK:ETHUSD'] },
          { name: 'all_trades', symbols: ['BTCUSD'] },
        ],
      },
    },
    'mark_price MARK:BTCUSD',
    'mark_price MARK:ETHUSD',
    'all_trades BTCUSD',
  ],
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
    'crypto-com,crypto-com-derivatives',
    { method: 'subscribe', params: { channels: ['BTC_USDT.book'] } },
    'book BTC_USDT',
  ],
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
    'kucoin-futures',
    { type: 'subscribe', topic: '/contractMarket/level2:XBTUSDTM', response: true },
    'contractMarket/level2 XBTUSDTM',
  ],
  ['woo-x', { event: 'subscribe', topic: 'PERP_BTC_USDT@trade' }, 'trade PERP_BTC_USDT'],
  [
    'woo-x',
    { cmd: 'SUBSCRIBE', data: ['trade@PERP_BTC_USDT', 'bbo@SPOT_ETH_USDT'] },
    'trade PERP_BTC_USDT',
    'bbo SPOT_ETH_USDT',
  ],
  ['hyperliquid', { method: 'subscribe', subscription: { type: 'l2Book', coin: 'BTC' } }, 'l2Book BTC'],
  [
    'hyperliquid',
    { method: 'subscribe', subscription: { type: 'l2Book', coin: 'BTC', fast: true } },
    'fastBook BTC',
  ],
  ['lighter', { type: 'subscribe', channel: 'trade/1' }, 'trade 1'],
  ['lighter', { type: 'subscribe', channel: 'market_stats/all' }, 'market_stats'],
];

/** Of the exchanges whose messages have a list of texts. */
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
