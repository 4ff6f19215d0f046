import type { ArrowSchema } from '../../format/arrow/arrow-message.js';
import type { EncodedRecordBatch } from '../../format/arrow/record-batch-encoder.js';
import { ByteWriter } from '../../format/byte-writer.js';
import { loadLz4 } from '../../format/compressor.js';
import type { ExportIo, OutputOwner } from '../export-target.js';
import { createFullArray, encodeRecordBatch, FeatherFile } from './feather-file.js';
import type { Timeframe } from './freqtrade-settings.js';
import type { TradeRows } from './sorted-trades.js';

const DAY_MICROSECONDS = 86_400e6;
/** A grouped file has many pairs, each with its candles in memory. */
const BATCH_CANDLES = 2048;

/** Columns of candles (docs/spec/freqtrade-files.md#candles). */
export const CANDLE_SCHEMA: ArrowSchema = {
  fields: [
    { name: 'date', type: { name: 'timestamp', unit: 'ns', timezone: 'UTC' }, nullable: true },
    ...['open', 'high', 'low', 'close', 'volume'].map(
      (name) => ({ name, type: { name: 'double' }, nullable: true }) as const,
    ),
  ],
};

/** The file with the candles of a pair and timeframe. */
export class CandlesFile {
  readonly #file: FeatherFile;
  readonly #interval: number;
  readonly #days: ReadonlySet<number>;
  /** Starts of candles in microseconds. The last candle is open. */
  readonly #starts = new Float64Array(BATCH_CANDLES);
  readonly #opens = new Float64Array(BATCH_CANDLES);
  readonly #highs = new Float64Array(BATCH_CANDLES);
  readonly #lows = new Float64Array(BATCH_CANDLES);
  readonly #closes = new Float64Array(BATCH_CANDLES);
  readonly #volumes = new Float64Array(BATCH_CANDLES);
  #rows = 0;
  /** Trades in candles. */
  #trades = 0;
  #end = Number.NEGATIVE_INFINITY;
  /** Whether the open candle lies in a given day. */
  #isGiven = false;

  /** @param days UTC days since the epoch whose trades are complete; candles of others are left out. */
  constructor(
    io: ExportIo,
    path: string,
    owner: OutputOwner,
    { microseconds }: Timeframe,
    days: ReadonlySet<number>,
  ) {
    this.#file = new FeatherFile(io, path, owner, CANDLE_SCHEMA);
    this.#interval = microseconds;
    this.#days = days;
  }

  /** Adds trades that are sorted by time. */
  async add(trades: TradeRows): Promise<void> {
    for (let row = 0; row < trades.timestamps.length; ) {
      if ((trades.timestamps[row] as number) >= this.#end) {
        if (this.#rows === BATCH_CANDLES) await this.#flush();
        this.#start(trades.timestamps[row] as number, trades.prices[row] as number);
      }
      row = this.#update(trades, row);
    }
  }

  async end(): Promise<void> {
    await this.#flush();
    await this.#file.end(this.#trades, true);
  }

  #start(timestamp: number, price: number): void {
    const start = Math.floor(timestamp / this.#interval) * this.#interval;
    this.#end = start + this.#interval;
    this.#isGiven = this.#days.has(Math.floor(start / DAY_MICROSECONDS));
    if (!this.#isGiven) return;
    const row = this.#rows++;
    this.#starts[row] = start;
    this.#opens[row] = price;
    this.#highs[row] = price;
    this.#lows[row] = price;
    this.#volumes[row] = 0;
  }

  /** Adds the trades from `first` on that belong to the open candle. @returns the row of the next one. */
  #update({ timestamps, prices, amounts }: TradeRows, first: number): number {
    const at = this.#rows - 1;
    const end = this.#end;
    let high = this.#highs[at] as number;
    let low = this.#lows[at] as number;
    let volume = this.#volumes[at] as number;
    let row = first;
    for (; row < timestamps.length && (timestamps[row] as number) < end; row++) {
      const price = prices[row] as number;
      if (price > high) high = price;
      if (price < low) low = price;
      volume += amounts[row] as number;
    }
    if (!this.#isGiven) return row;
    this.#trades += row - first;
    this.#highs[at] = high;
    this.#lows[at] = low;
    this.#closes[at] = prices[row - 1] as number;
    this.#volumes[at] = volume;
    return row;
  }

  async #flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = 0;
    if (rows === 0) return;
    const columns = [this.#starts, this.#opens, this.#highs, this.#lows, this.#closes, this.#volumes];
    const [starts = [], ...numbers] = columns.map((values) => values.subarray(0, rows));
    await this.#file.write(encodeCandles(starts, numbers));
  }
}

/** Encodes candles. @param starts microseconds since the epoch. @param numbers columns after the date, in their order. */
export function encodeCandles(
  starts: ArrayLike<number>,
  numbers: readonly Float64Array[],
): EncodedRecordBatch {
  const dates = BigInt64Array.from(starts, (start) => BigInt(start) * 1000n);
  const arrays = [dates, ...numbers].map((values) => createFullArray(starts.length, values));
  return encodeRecordBatch(starts.length, arrays, loadLz4(), new ByteWriter());
}
