import { bookSnapshotRows } from '../rows/book-snapshot.js';
import { derivativeTickerRows, longTickerRows } from '../rows/derivative-ticker.js';
import { incrementalBookRows } from '../rows/incremental-book.js';
import { optionsChainRows } from '../rows/options-chain.js';
import { quoteRows } from '../rows/quotes.js';
import { tradeRows, uuidTradeRows } from '../rows/trades.js';

const COLUMNS = {
  incremental_book_L2: 'is_snapshot,side,price,amount',
  trades: 'id,side,price,amount',
  quotes: 'ask_amount,ask_price,bid_price,bid_amount',
  derivative_ticker:
    'funding_timestamp,funding_rate,predicted_funding_rate,open_interest,last_price,index_price,mark_price',
  book_snapshot_25: Array.from(
    { length: 25 },
    (_, at) => `asks[${at}].price,asks[${at}].amount,bids[${at}].price,bids[${at}].amount`,
  ).join(),
  options_chain:
    'type,strike_price,expiration,open_interest,last_price,bid_price,bid_amount,bid_iv,ask_price,ask_amount,ask_iv,mark_price,mark_iv,underlying_index,underlying_price,delta,gamma,vega,theta,rho',
};

const BINANCE = { exchange: 'binance-futures', symbol: 'BTCUSDT' };
const DERIBIT = { exchange: 'deribit', symbol: 'BTC-PERPETUAL' };

/**
 * The kinds of day files to convert: their rows at scale 1, and their generators, which are equal for the same seed.
 * Rows imitate the start of real day files; `shapes.js` compares both.
 */
export const KINDS = [
  kind('incremental_book_L2', 5_000_000, BINANCE, incrementalBookRows),
  kind('trades', 3_000_000, BINANCE, tradeRows),
  kind('quotes', 4_000_000, BINANCE, quoteRows),
  kind('derivative_ticker', 2_000_000, DERIBIT, derivativeTickerRows),
  kind('book_snapshot_25', 250_000, BINANCE, bookSnapshotRows),
  kind('options_chain', 500_000, { ...DERIBIT, symbol: 'OPTIONS' }, optionsChainRows),
];

/** Kinds that are hard to convert: ids that are UUIDs, numbers with more than 15 digits. Measured on request. */
export const HARD_KINDS = [
  {
    ...kind('trades', 3_000_000, { exchange: 'bitmex', symbol: 'XBTUSD' }, uuidTradeRows),
    name: 'trades-uuid',
  },
  {
    ...kind('derivative_ticker', 2_000_000, { exchange: 'okex-swap', symbol: 'PERPETUALS' }, longTickerRows),
    name: 'derivative_ticker-long',
  },
];

function kind(type, rows, { exchange, symbol }, make) {
  return {
    name: type,
    type,
    exchange,
    symbol,
    rows,
    make,
    header: `exchange,symbol,timestamp,local_timestamp,${COLUMNS[type]}\n`,
  };
}
