import type { ExportIo } from '../export-io.js';
import { CandlesFile } from './candles-file.js';
import { pairPaths } from './pair.js';
import { SortedTrades } from './sorted-trades.js';
import type { Timeframe } from './timeframe.js';
import { TradeColumns } from './trade-columns.js';
import { TradesFile } from './trades-file.js';

/** The files of one pair. Trades are held back for a while, and written in the order of their exchange times. */
export class PairExport {
  /** Trades that came after later ones had been written. */
  readonly late = new SortedTrades();
  readonly #held = new SortedTrades();
  readonly #chunk = new TradeColumns();
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
    timeframes: readonly Timeframe[],
    days: ReadonlySet<number>,
    known: SortedTrades | undefined,
  ) {
    const paths = pairPaths(pair);
    this.#trades = new TradesFile(io, paths.trades);
    this.#candles = timeframes.map(
      (timeframe) => new CandlesFile(io, paths.candles(timeframe.name), timeframe, days),
    );
    this.#known = known;
  }

  /** Number of trades that are held back. */
  get rows(): number {
    return this.#held.rows;
  }

  /** Adds a trade; the parameters are those of `TradeColumns.append`. */
  add(
    timestamp: number,
    price: number,
    amount: number,
    side: number,
    ids: Uint8Array,
    idStart: number,
    idEnd: number,
  ): void {
    if (timestamp >= this.#writtenTo) this.#held.add(timestamp, price, amount, side, ids, idStart, idEnd);
    else if (!this.#known) this.late.add(timestamp, price, amount, side, ids, idStart, idEnd);
  }

  /** Writes the first of the trades that are held back. */
  async write(count: number): Promise<void> {
    const chunk = this.#chunk;
    chunk.rows = 0;
    for (let written = 0; written < count; written++) {
      this.#writtenTo = this.#held.firstTimestamp;
      // A late trade with an equal time was added after it.
      if (this.#known) while (this.#known.firstTimestamp < this.#writtenTo) this.#known.moveFirst(chunk);
      this.#held.moveFirst(chunk);
    }
    this.#held.compact();
    await this.#writeChunk();
  }

  async end(): Promise<void> {
    await this.write(this.rows);
    this.#chunk.rows = 0;
    while (this.#known && this.#known.rows > 0) this.#known.moveFirst(this.#chunk);
    await this.#writeChunk();
    for (const file of [this.#trades, ...this.#candles]) await file.end();
  }

  async #writeChunk(): Promise<void> {
    // The files are written once all late trades are known.
    if (this.#chunk.rows === 0 || this.late.rows > 0) return;
    await this.#trades.write(this.#chunk);
    for (const candles of this.#candles) await candles.add(this.#chunk);
  }
}
