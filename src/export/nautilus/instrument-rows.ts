import type { CatalogFile } from './catalog-file.js';
import type { CatalogInstrument } from './catalog-instrument.js';
import type { DeltaWriter } from './delta-rows.js';
import type { LaneChunk, LaneSet } from './lane-set.js';
import { RowSorter } from './row-sorter.js';

/** The rows of one instrument that a pass has read so far. */
export class InstrumentRows {
  readonly instrument: CatalogInstrument;
  readonly sorter: RowSorter;
  /** Set for order books. */
  readonly deltas: DeltaWriter | undefined;
  /** Set when a row is written. */
  file: CatalogFile | undefined;
  /** Rows of the source that were written. */
  sourceRows = 0;
  /** Times of the first and last row that were written, in nanoseconds. */
  first = 0n;
  last = 0n;
  #chunks: LaneChunk[] = [];
  #bufferedRows = 0;
  #lastTime = 0n;

  constructor(instrument: CatalogInstrument, widths: readonly number[], deltas: DeltaWriter | undefined) {
    this.instrument = instrument;
    this.sorter = new RowSorter(widths);
    this.deltas = deltas;
  }

  /** Rows in memory. */
  get bufferedRows(): number {
    return this.#bufferedRows;
  }

  buffer(chunk: LaneChunk): void {
    this.#chunks.push(chunk);
    this.#bufferedRows += chunk.rows;
  }

  /** Moves the rows in memory to `lanes`. */
  takeBuffered(lanes: LaneSet): void {
    lanes.load(this.#chunks);
    this.#chunks = [];
    this.#bufferedRows = 0;
  }

  /** Whether rows follow all earlier ones. @param isSorted whether they are in order themselves. */
  follows(first: bigint, last: bigint, isSorted: boolean): boolean {
    const isNext = isSorted && first >= this.#lastTime;
    this.#lastTime = last;
    return isNext;
  }
}
