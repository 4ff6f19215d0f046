import { plural } from '../../base/units.js';
import { US_PER_DAY } from '../../day-files/day.js';
import { type Batch, getColumn, getDictionary, getNumbers } from '../../format/batch.js';
import { type ExportIo, type ExportJob, type OutputOwner, sameOutputError } from '../export-target.js';
import { CANDLE_SCHEMA, encodeCandles, FeatherFile } from './freqtrade-files.js';
import { type JobSettings, PAIR_ADVICE, pairPaths, parseTimeframe } from './freqtrade-settings.js';

/** What is known of one contract. */
interface Contract {
  readonly pair: string;
  readonly symbol: string;
  readonly rates: FundingRates;
  readonly marks: MarkCandles;
  rows: number;
}

const COLUMNS = ['symbol', 'timestamp', 'funding_timestamp', 'funding_rate', 'mark_price'];

/**
 * Writes the funding rates and the mark candles of the contracts in `derivative_ticker` files, all days in one file each
 * (docs/spec/freqtrade-files.md#funding-rates).
 * @throws TickhaulError `corrupt`, `disk`, errors of the store.
 */
export async function exportFunding(job: ExportJob, io: ExportIo): Promise<void> {
  const settings = job.settings as JobSettings;
  const { funding } = settings;
  if (!funding) throw new Error('a job of tickers without timeframes');
  const fundingFrame = parseTimeframe(funding.timeframe);
  const markFrame = parseTimeframe(funding.markTimeframe);
  const grid = funding.grid === undefined ? undefined : parseTimeframe(funding.grid).microseconds;
  const days = new Set<number>(job.sources.map(({ file }) => file.day));
  const contracts = new Map<string, Contract>();
  let unpaired = 0;
  const contractOf = (symbol: string): Contract | undefined => {
    const pair = settings.pair ?? settings.pairs?.[symbol.toUpperCase()];
    if (pair === undefined) return undefined;
    const known = contracts.get(pair);
    if (known && known.symbol !== symbol)
      throw sameOutputError(pair, known.symbol, { name: symbol, advise: () => PAIR_ADVICE });
    if (known) return known;
    const marks = new MarkCandles(markFrame.microseconds);
    const contract = { pair, symbol, rates: new FundingRates(grid), marks, rows: 0 };
    contracts.set(pair, contract);
    return contract;
  };
  const addBatch = (batch: Batch): void => {
    const { indices, texts } = getDictionary(batch, 'symbol');
    const bySymbol = texts.map(contractOf);
    const timestamps = getNumbers(batch, 'timestamp');
    const [times, rates, marks] = COLUMNS.slice(2).map((name) => readCells(batch, name));
    for (let row = 0; row < batch.rows; row++) {
      const contract = bySymbol[indices[row] as number];
      if (!contract) {
        unpaired++;
        continue;
      }
      const timestamp = timestamps[row] as number;
      contract.rates.add(timestamp, times?.(row) as number, rates?.(row) as number);
      contract.marks.add(timestamp, marks?.(row) as number);
      contract.rows++;
    }
  };
  for (const source of job.sources) await io.read(source, { numberText: 'none', columns: COLUMNS }, addBatch);
  for (const { pair, symbol, rates, marks, rows } of contracts.values()) {
    const owner = { name: `${symbol} (${pair})`, advise: () => PAIR_ADVICE };
    const paths = pairPaths(pair);
    const charged = rates.list(fundingFrame.microseconds, days);
    const hasRates = charged.length > 0;
    if (hasRates) await writeCandles(io, paths.funding(funding.timeframe), owner, charged, rows, false);
    else
      io.warn(
        `${job.key}: ${pair}: no funding rates, so freqtrade charges none${rates.hasNoTimes && grid === undefined ? '; the exchange sends no time of funding, set --funding-grid, such as 8h' : ''}`,
      );
    const candles = marks.list(days);
    if (candles.length > 0)
      await writeCandles(io, paths.mark(funding.markTimeframe), owner, candles, rows, hasRates);
    else io.warn(`${job.key}: ${pair}: no mark prices, without which freqtrade charges no funding`);
    if (!hasRates && candles.length === 0) io.leaveOut('no_rate', rows);
  }
  if (unpaired > 0)
    io.warn(`${job.key}: no pair is known of some symbols; leaving out ${plural(unpaired, 'row')}`);
  io.leaveOut('no_pair', unpaired);
}

/** Reads numbers of a column; NaN for an empty cell. */
function readCells(batch: Batch, name: string): (row: number) => number {
  const values = getNumbers(batch, name);
  const { nulls } = getColumn(batch, name);
  return nulls
    ? (row) => (nulls[row] === 1 ? Number.NaN : (values[row] as number))
    : (row) => values[row] as number;
}

async function writeCandles(
  io: ExportIo,
  path: string,
  owner: OutputOwner,
  candles: readonly TickerCandle[],
  sourceRows: number,
  isDerived: boolean,
): Promise<void> {
  const file = new FeatherFile(io, path, owner, CANDLE_SCHEMA);
  const numbers = (['open', 'high', 'low', 'close'] as const).map((name) =>
    Float64Array.from(candles, (candle) => candle[name]),
  );
  const starts = candles.map(({ start }) => start);
  await file.write(encodeCandles(starts, [...numbers, new Float64Array(candles.length)]));
  await file.end(sourceRows, isDerived);
}

/** A candle: its start in microseconds since the epoch, then prices. */
interface TickerCandle {
  readonly start: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** A value with the exchange time of its row, in microseconds since the epoch. */
interface TimedValue {
  timestamp: number;
  value: number;
}

/**
 * Funding rates of a contract, of rows of `derivative_ticker` in any order; of rows with equal times the later one counts
 * (docs/spec/freqtrade-files.md#funding-rates). It keeps one value for each funding.
 */
export class FundingRates {
  /** The last rate of each funding before it was charged, by its time. */
  readonly #byFunding = new Map<number, TimedValue>();
  /** The last rate of each interval of the grid, by the end of the interval. */
  readonly #byGrid = new Map<number, TimedValue>();
  readonly #grid: number | undefined;
  #lastTimestamp = Number.NEGATIVE_INFINITY;
  #lastFunding = Number.NEGATIVE_INFINITY;

  /** @param grid microseconds between fundings, for exchanges that send no time of funding. */
  constructor(grid?: number) {
    this.#grid = grid;
  }

  /** @param funding time of the next funding. An empty cell is NaN. */
  add(timestamp: number, funding: number, rate: number): void {
    if (timestamp > this.#lastTimestamp) this.#lastTimestamp = timestamp;
    if (funding > this.#lastFunding) this.#lastFunding = funding;
    if (Number.isNaN(rate)) return;
    if (timestamp <= funding) keepLast(this.#byFunding, funding, timestamp, rate);
    if (this.#grid !== undefined)
      keepLast(this.#byGrid, Math.ceil(timestamp / this.#grid) * this.#grid, timestamp, rate);
  }

  /**
   * The rates in the order of time, each at the start of its interval. A rate is known once a row has its time, or that
   * of a later funding, or when the last given day has ended.
   * @param interval microseconds. @param days UTC days since the epoch that were added, at least one.
   */
  list(interval: number, days: ReadonlySet<number>): readonly TickerCandle[] {
    const rates = this.hasNoTimes ? this.#onGrid(days) : this.#charged(days);
    const byStart = new Map<number, number>();
    for (const [time, rate] of rates) {
      const start = Math.floor(time / interval) * interval;
      // Only the first of two rates in one interval is charged.
      if (!byStart.has(start)) byStart.set(start, rate);
    }
    return [...byStart].map(([start, open]) => ({ start, open, high: 0, low: 0, close: 0 }));
  }

  #charged(days: ReadonlySet<number>): readonly (readonly [time: number, rate: number])[] {
    const end = Math.max(this.#lastTimestamp, (Math.max(...days) + 1) * US_PER_DAY);
    return [...this.#byFunding]
      .filter(([time]) => time <= end || time < this.#lastFunding)
      .sort(([a], [b]) => a - b)
      .map(([time, { value }]) => [time, value]);
  }

  #onGrid(days: ReadonlySet<number>): readonly (readonly [time: number, rate: number])[] {
    const rates: [number, number][] = [];
    const grid = this.#grid;
    if (grid === undefined) return [];
    let rate: number | undefined;
    for (const day of [...days].sort((a, b) => a - b)) {
      const start = day * US_PER_DAY;
      // The rate of midnight is that of the day before.
      if (!days.has(day - 1)) rate = this.#byGrid.get(start)?.value;
      for (let time = start; time < start + US_PER_DAY; time += grid) {
        rate = this.#byGrid.get(time)?.value ?? rate;
        if (rate !== undefined) rates.push([time, rate]);
      }
    }
    return rates;
  }

  /** Whether no row had the time of a funding. */
  get hasNoTimes(): boolean {
    return this.#lastFunding === Number.NEGATIVE_INFINITY;
  }
}

function keepLast(values: Map<number, TimedValue>, key: number, timestamp: number, value: number): void {
  const known = values.get(key);
  if (!known) values.set(key, { timestamp, value });
  else if (timestamp >= known.timestamp) {
    known.timestamp = timestamp;
    known.value = value;
  }
}

/**
 * Candles of the mark price of a contract, of rows in any order (docs/spec/freqtrade-files.md#mark-candles). Intervals
 * without rows have none.
 */
export class MarkCandles {
  readonly #interval: number;
  readonly #candles = new Map<number, { first: TimedValue; last: TimedValue; high: number; low: number }>();

  /** @param interval microseconds. */
  constructor(interval: number) {
    this.#interval = interval;
  }

  /** @param price NaN for an empty cell. */
  add(timestamp: number, price: number): void {
    if (Number.isNaN(price)) return;
    const start = Math.floor(timestamp / this.#interval) * this.#interval;
    const candle = this.#candles.get(start);
    const row = { timestamp, value: price };
    if (!candle) {
      this.#candles.set(start, { first: row, last: row, high: price, low: price });
      return;
    }
    if (timestamp < candle.first.timestamp) candle.first = row;
    if (timestamp >= candle.last.timestamp) candle.last = row;
    if (price > candle.high) candle.high = price;
    if (price < candle.low) candle.low = price;
  }

  /** The candles in the order of time. @param days UTC days since the epoch; candles of others are left out. */
  list(days: ReadonlySet<number>): readonly TickerCandle[] {
    return [...this.#candles]
      .filter(([start]) => days.has(Math.floor(start / US_PER_DAY)))
      .sort(([a], [b]) => a - b)
      .map(([start, { first, last, high, low }]) => {
        return { start, open: first.value, high, low, close: last.value };
      });
  }
}
