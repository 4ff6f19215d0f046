import { isMessageFields, type MessageFields, toFields, toFieldsList } from './message-fields.js';

/** Where messages of some channels name their symbol. */
export interface SymbolNaming {
  readonly exchanges: readonly string[];
  /** Channels in which each message is about one symbol, or about symbols with the same stem. */
  readonly channels: readonly string[];
  /** Text that precedes the first symbol name in most lines; a quote ends the name. */
  readonly marker: string;
  /** Common part of names whose messages depend on each other, such as an index and its contracts. */
  readonly toStem: (name: string) => string;
  /**
   * All fields that the normalizers of these channels use as a key of their state or as a record's symbol.
   */
  readonly readNames: (message: MessageFields) => readonly unknown[];
}

/**
 * Derived from the exchanges' formats and from the fields that the normalizers read: the vendor's (mappers of
 * tardis-dev 13.35.3) and tickhaul's. Left out are messages that may name several symbols (OKX's liquidation
 * orders and option summaries, all of BitMEX, where the first messages of a connection do), and channels that
 * were not examined.
 */
const NAMINGS: readonly SymbolNaming[] = [
  {
    // `{"stream":"btcusdt@depth","data":{"s":"BTCUSDT"}}`. The index of BTCUSD also belongs to BTCUSD_PERP.
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
    toStem: (name) => textBefore('_', textBefore('@', name)),
    readNames({ stream, data }) {
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
    toStem: (name) => name.slice(name.lastIndexOf('.') + 1),
    readNames: ({ data }) => toItems(data).flatMap(({ s, symbol }) => [s, symbol]),
  },
  {
    // `{"arg":{"channel":"trades","instId":"BTC-USDT-SWAP"},"data":[{"instId":"BTC-USDT-SWAP"}]}`. The index
    // of BTC-USD also belongs to BTC-USD-SWAP and BTC-USDC-SWAP.
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
    toStem: (name) => textBefore('-', name),
    readNames: ({ arg, data }) => [toFields(arg)['instId'], ...toItems(data).map(({ instId }) => instId)],
  },
  {
    // `{"params":{"channel":"book.BTC-PERPETUAL.raw","data":{"instrument_name":"BTC-PERPETUAL"}}}`
    exchanges: ['deribit'],
    channels: ['trades', 'book', 'ticker'],
    marker: '"channel":"',
    toStem: (name) => name.split('.')[1] ?? name,
    readNames: ({ params }) =>
      toItems(toFields(params)['data']).map(({ instrument_name }) => instrument_name),
  },
  {
    // `{"type":"l2update","product_id":"BTC-USD"}`
    exchanges: ['coinbase'],
    channels: ['match', 'snapshot', 'l2update', 'ticker'],
    marker: '"product_id":"',
    toStem: (name) => name,
    readNames: ({ product_id }) => [product_id],
  },
];

/** Where an exchange's messages name their symbol; undefined if they were not examined. */
export function findSymbolNaming(exchange: string): SymbolNaming | undefined {
  return NAMINGS.find(({ exchanges }) => exchanges.includes(exchange));
}

/** The objects in a list, or a single object as a list. */
function toItems(value: unknown): readonly MessageFields[] {
  return isMessageFields(value) ? [value] : toFieldsList(value);
}

function textBefore(sign: string, text: string): string {
  const end = text.indexOf(sign);
  return end < 0 ? text : text.slice(0, end);
}
