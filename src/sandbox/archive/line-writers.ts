import type { SideLevels } from '../../market/book-snapshots.js';
import { createBookStateTracker } from '../simulation/book-state-tracker.js';
import type { EventOf, FeedEvent, MarketEvent } from '../simulation/market-event.js';
import type { SyntheticInstrument } from '../simulation/synthetic-instrument.js';

/** Consecutive CSV lines, each with its LF. */
export interface CsvLines {
  readonly text: string;
  /** Microseconds. */
  readonly localTimestamp: number;
}

/** Creates a function that returns the rows an event adds to a symbol's day file; empty for most events. */
export type CreateLineWriter = (instrument: SyntheticInstrument) => (event: MarketEvent) => string;

/** Generates the lines of one symbol's day file. Those of one time are kept together. */
export function* generateLines(
  events: Iterable<MarketEvent>,
  write: ReturnType<CreateLineWriter>,
): Generator<CsvLines> {
  let text = '';
  let time = 0;
  for (const event of events) {
    if (event.localTimestamp !== time && text !== '') {
      yield { text, localTimestamp: time };
      text = '';
    }
    time = event.localTimestamp;
    text += write(event);
  }
  if (text !== '') yield { text, localTimestamp: time };
}

/** The first four columns of every line, and a comma. */
function formatLineHead(
  exchange: string,
  symbol: string,
  { timestamp, localTimestamp }: { readonly timestamp: number; readonly localTimestamp: number },
): string {
  return `${exchange},${symbol},${timestamp},${localTimestamp},`;
}

/** Writes the rows of one type of event. @param format formats them; `head` has the first columns of each. */
function writerOf<Type extends FeedEvent['type']>(
  type: Type,
  format: (event: EventOf<Type>, head: string) => string,
): CreateLineWriter {
  return ({ exchange }) =>
    (event) =>
      event.type === type
        ? format(event as EventOf<Type>, formatLineHead(exchange, event.symbol, event))
        : '';
}

export const createTradeWriter = writerOf('trade', formatTrade);
export const createLiquidationWriter = writerOf('liquidation', formatTrade);

function formatTrade(
  { id = '', side, price, amount }: EventOf<'trade' | 'liquidation'>,
  head: string,
): string {
  return `${head}${id},${side},${price},${amount}\n`;
}

/** Writes a row for each level of a change: asks, then bids. The rows of one change have the same times. */
export const createBookChangeWriter = writerOf('book_change', ({ isSnapshot, asks, bids }, head) => {
  let text = '';
  for (const { price, amount } of asks) text += `${head}${isSnapshot},ask,${price},${amount}\n`;
  for (const { price, amount } of bids) text += `${head}${isSnapshot},bid,${price},${amount}\n`;
  return text;
});

/** Writes tickers. Values that the exchange does not provide are empty cells. */
export const createTickerWriter: CreateLineWriter = ({ exchange }) => {
  return (event) => {
    if (event.type !== 'derivative_ticker') return '';
    const { symbol, fundingTimestamp = '', openInterest, lastPrice = '', indexPrice, cells } = event;
    return (
      `${formatLineHead(exchange, symbol, event)}${fundingTimestamp},${cells.fundingRate},` +
      `${cells.predictedFundingRate},${openInterest},${lastPrice},${indexPrice},${cells.markPrice}\n`
    );
  };
};

/** Writes option summaries. Values that the exchange does not provide are empty cells. */
export const createOptionsChainWriter = writerOf('option_summary', (event, head) => {
  const { optionType, strikePrice, expirationDate, openInterest, lastPrice, underlyingIndex } = event;
  const decimals = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? '';
  const bid = `${decimals(event.bestBidPrice, 4)},${event.bestBidAmount ?? ''},${decimals(event.bestBidIV, 2)}`;
  const ask = `${decimals(event.bestAskPrice, 4)},${event.bestAskAmount ?? ''},${decimals(event.bestAskIV, 2)}`;
  const { delta, gamma, vega, theta, rho } = event;
  const greeks = [delta, gamma, vega, theta, rho].map((value) => decimals(value, 5)).join(',');
  return (
    `${head}${optionType},${strikePrice},${expirationDate},${openInterest},${decimals(lastPrice, 3)},` +
    `${bid},${ask},${decimals(event.markPrice, 8)},${decimals(event.markIV, 2)},` +
    `${underlyingIndex},${event.underlyingPrice},${greeks}\n`
  );
});

/** Writes a row for each change of the best levels. */
export const createQuoteWriter: CreateLineWriter = createBookStateWriter(1, () => {
  const asks = new LevelCells(1);
  const bids = new LevelCells(1);
  return (ask, bid) => {
    // Real files have this irregular order: ask_amount,ask_price,bid_price,bid_amount.
    const [price = '', amount = ''] = asks.read(ask, 0).split(',');
    return `${amount},${price},${bids.read(bid, 0)}`;
  };
});

/** Writes a row for each change of the best `depth` levels. */
export function createSnapshotWriter(depth: number): CreateLineWriter {
  return createBookStateWriter(depth, () => {
    const askCells = new LevelCells(depth);
    const bidCells = new LevelCells(depth);
    return (asks, bids) => {
      let cells = `${askCells.read(asks, 0)},${bidCells.read(bids, 0)}`;
      for (let i = 1; i < depth; i++) cells += `,${askCells.read(asks, i)},${bidCells.read(bids, i)}`;
      return cells;
    };
  });
}

function createBookStateWriter(
  depth: number,
  createCellWriter: () => (asks: SideLevels, bids: SideLevels) => string,
): CreateLineWriter {
  return (instrument) => {
    const cells = createCellWriter();
    let text = '';
    const trackBook = createBookStateTracker(instrument, depth, (state) => {
      text += `${formatLineHead(instrument.exchange, instrument.symbol, state)}${cells(state.asks, state.bids)}\n`;
    });
    return (event) => {
      text = '';
      if (event.type === 'book_change') trackBook(event);
      return text;
    };
  };
}

/** Caches `price,amount` of a side's levels, since most levels are the same as in the previous row. */
class LevelCells {
  readonly #prices: Float64Array;
  readonly #amounts: Float64Array;
  readonly #texts: string[];

  constructor(depth: number) {
    this.#prices = new Float64Array(depth);
    this.#amounts = new Float64Array(depth);
    this.#texts = Array.from({ length: depth }, () => ',');
  }

  read({ prices, amounts, count }: SideLevels, at: number): string {
    if (at >= count) return ',';
    const price = prices[at] as number;
    const amount = amounts[at] as number;
    if (price !== this.#prices[at] || amount !== this.#amounts[at]) {
      this.#prices[at] = price;
      this.#amounts[at] = amount;
      this.#texts[at] = `${price},${amount}`;
    }
    return this.#texts[at] as string;
  }
}
