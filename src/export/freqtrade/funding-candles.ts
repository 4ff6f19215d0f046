import { US_PER_DAY } from '../../day-files/day.js';

/** A candle: its start in microseconds since the epoch, then prices. */
export interface TickerCandle {
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
