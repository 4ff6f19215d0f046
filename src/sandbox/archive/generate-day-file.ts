import { type DataType, dataTypeColumns, findDataType, isDataType } from '../../day-files/data-types.js';
import type { Day } from '../../day-files/day.js';
import type { DayFile } from '../../day-files/day-file.js';
import type { SideLevels } from '../../market/book-snapshots.js';
import { chooseFault, type DataFault, type FaultShares } from '../hosts/sandbox-faults.js';
import type { EventOf, FeedEvent, MarketEvent, MarketSize } from '../simulation/market-event.js';
import { seededRandom } from '../simulation/seeded-random.js';
import { simulateMarket } from '../simulation/simulate-market.js';
import { simulateOptionsChain } from '../simulation/simulate-options-chain.js';
import { createBookStateTracker } from '../simulation/synthetic-book.js';
import { createSyntheticInstrument, type SyntheticInstrument } from '../simulation/synthetic-instrument.js';

/** Characters of CSV per chunk. */
const CHUNK_CHARACTERS = 65_536;

/**
 * Generates the CSV text of a synthetic day file, header first, in chunks, with constant memory for any number of
 * rows. All files of one symbol and day are based on the same events.
 * @param members symbols whose rows a grouped symbol's file contains; otherwise the symbol itself.
 * @param faults faults of the data, with their shares of the files.
 */
export function* generateDayFileText(
  file: DayFile,
  members: readonly string[],
  size: MarketSize,
  faults: FaultShares<DataFault> = {},
): Generator<string> {
  const { exchange, dataType, day } = file;
  if (!isDataType(dataType)) throw new RangeError(`no synthetic data for ${dataType}`);
  const symbols = members.map((symbol) => generateSymbolLines(exchange, symbol, dataType, day, size));
  let chunk = `${dataTypeColumns(dataType)
    ?.map(({ name }) => name)
    .join(',')}\n`;
  for (const { text } of plantDataFault(mergeByLocalTime(symbols), file, faults, size.seed)) {
    chunk += text;
    if (chunk.length >= CHUNK_CHARACTERS) {
      yield chunk;
      chunk = '';
    }
  }
  yield chunk;
}

function generateSymbolLines(
  exchange: string,
  symbol: string,
  dataType: DataType,
  day: Day,
  size: MarketSize,
): Generator<CsvLines> {
  const instrument = createSyntheticInstrument(exchange, symbol, size.seed, day);
  const simulate = dataType === 'options_chain' ? simulateOptionsChain : simulateMarket;
  const [type, createWriter] = ROWS[dataType];
  return generateLines(simulate(instrument, day, size, type), createWriter(instrument));
}

interface Timed {
  /** Microseconds. */
  readonly localTimestamp: number;
}

/** Merges items of several markets by local time. For equal times, earlier markets come first. */
function* mergeByLocalTime<T extends Timed>(markets: readonly Generator<T>[]): Generator<T> {
  const inputs = markets.flatMap((items) => {
    const first = items.next();
    return first.done ? [] : [{ items, next: first.value }];
  });
  while (inputs.length > 0) {
    const first = inputs.reduce((a, b) => (b.next.localTimestamp < a.next.localTimestamp ? b : a));
    yield first.next;
    const next = first.items.next();
    if (next.done) inputs.splice(inputs.indexOf(first), 1);
    else first.next = next.value;
  }
}

const US_PER_HOUR = 3_600_000_000;
/** A fault ends before the collector reconnects, whose snapshot repairs a book with lost changes. */
const EARLIEST_START_US = US_PER_HOUR;
const START_RANGE_US = 2 * US_PER_HOUR;
/** Long enough for an audit to find a gap in quotes of the default size. */
const DURATION_US = 4 * US_PER_HOUR;
const CLOCK_STEP_US = US_PER_HOUR;

/** Returns the text of the next lines with the fault. @param isDuring whether they are in the fault's period. */
type PlantFault = (text: string, isDuring: boolean) => string;

/** For each fault a function that plants it in one day file; undefined if the data type cannot have it. */
const PLANTERS: Readonly<Record<DataFault, (dataType: string) => PlantFault | undefined>> = {
  gap: () => (text, isDuring) => (isDuring ? '' : text),
  'duplicate-trades': (dataType) =>
    dataType === 'trades' ? (text, isDuring) => (isDuring ? text + text : text) : undefined,
  'crossed-book': (dataType) => {
    const { bestPrices } = findDataType(dataType) ?? {};
    if (bestPrices === 'changes') return createBidAboveAsks();
    return bestPrices && changeColumn(dataType, bestPrices[0], (price) => 2 * price);
  },
  'lost-snapshot': (dataType) => (dataType === 'incremental_book_L2' ? createFirstLinesFilter() : undefined),
  'clock-step': (dataType) => changeColumn(dataType, 'local_timestamp', (time) => time - CLOCK_STEP_US),
};

/** Plants the data fault of a day file: none, or the same for the same file, shares and seed. */
function plantDataFault(
  lines: Generator<CsvLines>,
  { exchange, dataType, symbol, day }: DayFile,
  shares: FaultShares<DataFault>,
  seed: number,
): Generator<CsvLines> {
  const random = seededRandom(seed, 'data fault', exchange, dataType, symbol, day);
  const fault = chooseFault(shares, random.next(), (kind) => PLANTERS[kind](dataType) !== undefined);
  const plant = fault && PLANTERS[fault](dataType);
  const start = day * 24 * US_PER_HOUR + EARLIEST_START_US + random.int(START_RANGE_US);
  return plant === undefined ? lines : changeLines(lines, plant, start);
}

function* changeLines(lines: Iterable<CsvLines>, plant: PlantFault, start: number): Generator<CsvLines> {
  for (const { text, localTimestamp } of lines) {
    const isDuring = localTimestamp >= start && localTimestamp < start + DURATION_US;
    yield { text: plant(text, isDuring), localTimestamp };
  }
}

/** Changes the cells of a column; undefined if the data type has no such column. Empty cells stay empty. */
function changeColumn(
  dataType: string,
  name: string,
  change: (value: number) => number,
): PlantFault | undefined {
  const column = dataTypeColumns(dataType)?.findIndex((each) => each.name === name) ?? -1;
  if (column === -1) return undefined;
  const changeRow = (row: string): string => {
    const cells = row.split(',');
    const cell = cells[column] ?? '';
    return cell === '' ? row : cells.with(column, String(change(Number(cell)))).join(',');
  };
  return (text, isDuring) => (isDuring ? text.split('\n').map(changeRow).join('\n') : text);
}

/** Adds a bid of twice the price to a book, and removes it after the period. */
function createBidAboveAsks(): PlantFault {
  let bidPrice: number | undefined;
  return (text, isDuring) => {
    if (isDuring === (bidPrice !== undefined)) return text;
    const [, head = '', isSnapshot, price] = /^(.*,(true|false),)\w+,([^,]+),/.exec(text) ?? [];
    const row = `${head}bid,${bidPrice ?? 2 * Number(price)},${isDuring ? 1 : 0}\n`;
    bidPrice = isDuring ? 2 * Number(price) : undefined;
    // A snapshot after the period has no such level already.
    return isSnapshot === 'true' && !isDuring ? text : text + row;
  };
}

/** Removes the snapshot that begins a book. */
function createFirstLinesFilter(): PlantFault {
  let isFirst = true;
  return (text) => {
    const rest = isFirst ? '' : text;
    isFirst = false;
    return rest;
  };
}

/** Consecutive CSV lines, each with its LF. */
interface CsvLines {
  readonly text: string;
  /** Microseconds. */
  readonly localTimestamp: number;
}

/** Creates a function that returns the rows an event adds to a symbol's day file; empty for most events. */
type CreateLineWriter = (instrument: SyntheticInstrument) => (event: MarketEvent) => string;

/** Generates the lines of one symbol's day file. Those of one time are kept together. */
function* generateLines(
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

const createTradeWriter = writerOf('trade', formatTrade);
const createLiquidationWriter = writerOf('liquidation', formatTrade);

function formatTrade(
  { id = '', side, price, amount }: EventOf<'trade' | 'liquidation'>,
  head: string,
): string {
  return `${head}${id},${side},${price},${amount}\n`;
}

/** Writes a row for each level of a change: asks, then bids. The rows of one change have the same times. */
const createBookChangeWriter = writerOf('book_change', ({ isSnapshot, asks, bids }, head) => {
  let text = '';
  for (const { price, amount } of asks) text += `${head}${isSnapshot},ask,${price},${amount}\n`;
  for (const { price, amount } of bids) text += `${head}${isSnapshot},bid,${price},${amount}\n`;
  return text;
});

/** Writes tickers. Values that the exchange does not provide are empty cells. */
const createTickerWriter: CreateLineWriter = ({ exchange }) => {
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
const createOptionsChainWriter = writerOf('option_summary', (event, head) => {
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
const createQuoteWriter: CreateLineWriter = createBookStateWriter(1, () => {
  const asks = new LevelCells(1);
  const bids = new LevelCells(1);
  return (ask, bid) => {
    // Real files have this irregular order: ask_amount,ask_price,bid_price,bid_amount.
    const [price = '', amount = ''] = asks.read(ask, 0).split(',');
    return `${amount},${price},${bids.read(bid, 0)}`;
  };
});

/** Writes a row for each change of the best `depth` levels. */
function createSnapshotWriter(depth: number): CreateLineWriter {
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

/** For each data type the events that its rows are written from, and how. */
const ROWS: Readonly<Record<DataType, readonly [MarketEvent['type'], CreateLineWriter]>> = {
  trades: ['trade', createTradeWriter],
  liquidations: ['liquidation', createLiquidationWriter],
  incremental_book_L2: ['book_change', createBookChangeWriter],
  quotes: ['book_change', createQuoteWriter],
  book_ticker: ['book_change', createQuoteWriter],
  book_snapshot_5: ['book_change', createSnapshotWriter(5)],
  book_snapshot_25: ['book_change', createSnapshotWriter(25)],
  derivative_ticker: ['derivative_ticker', createTickerWriter],
  options_chain: ['option_summary', createOptionsChainWriter],
};
