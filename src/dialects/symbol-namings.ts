import { type Fields, fieldsIn, isFields, listIn } from './fields.js';

/** How messages of some channels name the symbol that each of them is about. */
export interface SymbolNaming {
  readonly exchanges: readonly string[];
  /** Each message of these is about one symbol, or about some with the same stem. */
  readonly channels: readonly string[];
  /** What stands in most lines before a text that tells the symbol, and is itself followed by a quote. */
  readonly marker: string;
  /** The symbol in that text. */
  readonly symbolIn: (text: string) => string;
  /** What symbols have in common whose messages are read for each other, as an index is for its contracts. */
  readonly stemOf: (symbol: string) => string;
  /** All that the normalizers of these channels keep anything by, or take for the symbol of a record. */
  readonly namesIn: (message: Fields) => readonly unknown[];
}

const asItIs = (text: string): string => text;

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
    symbolIn: (stream) => upTo('@', stream),
    stemOf: (symbol) => upTo('_', symbol),
    namesIn({ stream, data }) {
      const { e, s, symbol, o, i } = fieldsIn(data);
      const index = e === 'indexPriceUpdate' ? i : undefined;
      return [typeof stream === 'string' ? upTo('@', stream) : stream, s, symbol, fieldsIn(o)['s'], index];
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
    symbolIn: (topic) => topic.slice(topic.lastIndexOf('.') + 1),
    stemOf: asItIs,
    namesIn: ({ data }) => itemsIn(data).flatMap(({ s, symbol }) => [s, symbol]),
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
    symbolIn: asItIs,
    stemOf: (symbol) => upTo('-', symbol),
    namesIn: ({ arg, data }) => [fieldsIn(arg)['instId'], ...itemsIn(data).map(({ instId }) => instId)],
  },
  {
    // `{"params":{"channel":"book.BTC-PERPETUAL.raw","data":{"instrument_name":"BTC-PERPETUAL"}}}`
    exchanges: ['deribit'],
    channels: ['trades', 'book', 'ticker'],
    marker: '"channel":"',
    symbolIn: (channel) => channel.split('.')[1] ?? '',
    stemOf: asItIs,
    namesIn: ({ params }) => itemsIn(fieldsIn(params)['data']).map(({ instrument_name }) => instrument_name),
  },
  {
    // `{"type":"l2update","product_id":"BTC-USD"}`
    exchanges: ['coinbase'],
    channels: ['match', 'snapshot', 'l2update', 'ticker'],
    marker: '"product_id":"',
    symbolIn: asItIs,
    stemOf: asItIs,
    namesIn: ({ product_id }) => [product_id],
  },
];

/** How an exchange's messages name their symbol; undefined where nobody has looked. */
export function symbolNaming(exchange: string): SymbolNaming | undefined {
  return NAMINGS.find(({ exchanges }) => exchanges.includes(exchange));
}

/** The objects of a field that is a list, or the one that it is. */
function itemsIn(value: unknown): readonly Fields[] {
  return isFields(value) ? [value] : listIn(value);
}

function upTo(sign: string, text: string): string {
  const end = text.indexOf(sign);
  return end < 0 ? text : text.slice(0, end);
}
