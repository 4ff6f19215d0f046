import { isMessageFields, type MessageFields, toFields, toFieldsList } from './message-fields.js';

/** How messages of some channels name the symbol that each of them is about. */
export interface SymbolNaming {
  readonly exchanges: readonly string[];
  /** Each message of these is about one symbol, or about some with the same stem. */
  readonly channels: readonly string[];
  /** What stands in most lines before the first name that tells the symbol, which a quote ends. */
  readonly marker: string;
  /** What names have in common whose messages are read for each other, as an index is for its contracts. */
  readonly stemOf: (name: string) => string;
  /** All that the normalizers of these channels keep anything by, or take for the symbol of a record. */
  readonly namesIn: (message: MessageFields) => readonly unknown[];
}

/**
 * Known of the exchanges' formats, and of what the normalizers read of them: the vendor's (mappers of tardis-dev
 * 13.35.3) and ours. Left out is what one message may tell of several symbols (OKX's liquidation orders and summaries of
 * options, all of BitMEX, whose first messages of a connection are such), and what nobody has looked at.
 */
const NAMINGS: readonly SymbolNaming[] = [
  {
    // `{"stream":"btcusdt@depth","data":{"s":"BTCUSDT"}}`. The index of BTCUSD is read for BTCUSD_PERP.
    exchanges: ['binance', 'binance-us', 'binance-futures', 'binance-delivery'],
    channels: [
      'trade',
      'depth',
      'depthSnapshot',
      'markPrice',
      'ticker',
      'openInterest',
      'indexPrice',
      'forceOrder',
      'bookTicker',
    ],
    marker: '"stream":"',
    stemOf: (name) => textBefore('_', textBefore('@', name)),
    namesIn({ stream, data }) {
      const { e, s, symbol, o, i } = toFields(data);
      const index = e === 'indexPriceUpdate' ? i : undefined;
      return [stream, s, symbol, toFields(o)['s'], index];
    },
  },
  {
    // `{"topic":"orderbook.50.BTCUSDT","data":{"s":"BTCUSDT"}}`
    exchanges: ['bybit', 'bybit-spot', 'bybit-options'],
    channels: [
      'publicTrade',
      'orderbook.1',
      'orderbook.25',
      'orderbook.50',
      'tickers',
      'liquidation',
      'allLiquidation',
    ],
    marker: '"topic":"',
    stemOf: (name) => name.slice(name.lastIndexOf('.') + 1),
    namesIn: ({ data }) => toItems(data).flatMap(({ s, symbol }) => [s, symbol]),
  },
  {
    // `{"arg":{"channel":"trades","instId":"BTC-USDT-SWAP"},"data":[{"instId":"BTC-USDT-SWAP"}]}`. The index of BTC-USD
    // is read for BTC-USD-SWAP and BTC-USDC-SWAP.
    exchanges: ['okex', 'okex-swap', 'okex-futures', 'okex-options'],
    channels: [
      'trades',
      'trades-all',
      'books',
      'books-l2-tbt',
      'bbo-tbt',
      'tickers',
      'open-interest',
      'mark-price',
      'index-tickers',
      'funding-rate',
    ],
    marker: '"instId":"',
    stemOf: (name) => textBefore('-', name),
    namesIn: ({ arg, data }) => [toFields(arg)['instId'], ...toItems(data).map(({ instId }) => instId)],
  },
  {
    // `{"params":{"channel":"book.BTC-PERPETUAL.raw","data":{"instrument_name":"BTC-PERPETUAL"}}}`
    exchanges: ['deribit'],
    channels: ['trades', 'book', 'ticker'],
    marker: '"channel":"',
    stemOf: (name) => name.split('.')[1] ?? name,
    namesIn: ({ params }) => toItems(toFields(params)['data']).map(({ instrument_name }) => instrument_name),
  },
  {
    // `{"type":"l2update","product_id":"BTC-USD"}`
    exchanges: ['coinbase'],
    channels: ['match', 'snapshot', 'l2update', 'ticker'],
    marker: '"product_id":"',
    stemOf: (name) => name,
    namesIn: ({ product_id }) => [product_id],
  },
];

/** How an exchange's messages name their symbol; undefined where nobody has looked. */
export function symbolNaming(exchange: string): SymbolNaming | undefined {
  return NAMINGS.find(({ exchanges }) => exchanges.includes(exchange));
}

/** The objects of a field that is a list, or the one that it is. */
function toItems(value: unknown): readonly MessageFields[] {
  return isMessageFields(value) ? [value] : toFieldsList(value);
}

function textBefore(sign: string, text: string): string {
  const end = text.indexOf(sign);
  return end < 0 ? text : text.slice(0, end);
}
