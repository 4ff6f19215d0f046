import type { ExportIo, OutputOwner } from '../export-target.js';
import { CandlesFile } from './candles-file.js';
import { pairPaths } from './pair.js';
import { SortedTrades } from './sorted-trades.js';
import type { Timeframe } from './timeframe.js';
import type { TradeRows } from './trade-columns.js';
import type { TradesEncoder } from './trades-encoder.js';
import { TradesFile } from './trades-file.js';

/** The files of one pair. Trades are held back for a while, and written in the order of their exchange times. */
export class PairExport {
  /** Trades that came after later ones had been written. */
  readonly late = new SortedTrades();
  readonly #held = new SortedTrades();
  readonly #trades: TradesFile;
  readonly #candles: readonly CandlesFile[];
  readonly #known: SortedTrades | undefined;
  #writtenTo = Number.NEGATIVE_INFINITY;

  /**
   * @param days UTC days since the epoch whose trades are complete.
   * @param known the late trades, if the same trades were added to another export before.
   */
  constructor(
    io: ExportIo,
    pair: string,
    owner: OutputOwner,
    timeframes: readonly Timeframe[],
    days: ReadonlySet<number>,
    known: SortedTrades | undefined,
    encoder: TradesEncoder,
  ) {
    const paths = pairPaths(pair);
    this.#trades = new TradesFile(io, paths.trades, owner, encoder);
    this.#candles = timeframes.map(
      (timeframe) => new CandlesFile(io, paths.candles(timeframe.name), owner, timeframe, days),
    );
    this.#known = known;
  }

  /** Number of trades that are held back. */
  get rows(): number {
    return this.#held.rows;
  }

  add(from: TradeRows, row: number): void {
    if ((from.timestamps[row] as number) >= this.#writtenTo) this.#held.add(from, row);
    else if (!this.#known) this.late.add(from, row);
  }

  addAll(from: TradeRows): void {
    const rows = from.timestamps.length;
    const isLate = rows > 0 && (from.timestamps[0] as number) < this.#writtenTo;
    if (!isLate && this.#held.addIfSorted(from)) return;
    for (let row = 0; row < rows; row++) this.add(from, row);
  }

  /** Writes the first of the trades that are held back, at least one. */
  async write(count: number): Promise<void> {
    const trades = this.#held.take(count, this.#known);
    // A late trade with an equal time was added after those held.
    this.#writtenTo = trades.timestamps.at(-1) as number;
    await this.#write(trades);
  }

  async end(): Promise<void> {
    if (this.rows > 0) await this.write(this.rows);
    if (this.#known && this.#known.rows > 0) await this.#write(this.#known.take(this.#known.rows));
    for (const file of [this.#trades, ...this.#candles]) await file.end();
  }

  async #write(trades: TradeRows): Promise<void> {
    // The files are written once all late trades are known.
    if (this.late.rows > 0) return;
    for (const file of [this.#trades, ...this.#candles]) await file.add(trades);
  }
}
