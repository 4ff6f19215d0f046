import type { SpillFile } from '../job-memory.js';
import type { DeltaWriter } from './book-rows.js';
import type { CatalogFile } from './catalog-file.js';
import type { CatalogInstrument } from './catalog-instrument.js';
import type { KernelMemory, LaneChunk, LaneSet } from './lane-memory.js';

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

/** Rows of a block in the spill; a block is read at once. */
const BLOCK_ROWS = 4096;

/** Sorted rows in a spill, by blocks in which the lanes follow each other. */
interface Run {
  readonly at: number;
  readonly rows: number;
}

/** Sorts rows by their last lane, stably, with little memory: sorted runs go to a spill and are merged. */
export class RowSorter {
  readonly #widths: readonly number[];
  readonly #rowBytes: number;
  readonly #runs: Run[] = [];

  constructor(widths: readonly number[]) {
    this.#widths = widths;
    this.#rowBytes = widths.reduce((sum, width) => sum + width, 0);
  }

  /**
   * Appends rows, which follow all earlier ones.
   * @param sorted buffer for the sorted rows.
   */
  async append(lanes: LaneSet, sorted: LaneSet, memory: KernelMemory, spill: SpillFile): Promise<void> {
    const keys = readTimes(lanes.view(this.#widths.length - 1));
    const order = Int32Array.from(keys, (_, row) => row);
    order.sort((a, b) => (keys[a] as number) - (keys[b] as number) || a - b);
    sorted.gather(lanes, memory.load('rows', order), order.length);
    this.#runs.push({ at: spill.bytes, rows: order.length });
    for (let start = 0; start < sorted.rows; start += BLOCK_ROWS) {
      const block = sorted.copy(start, Math.min(sorted.rows, start + BLOCK_ROWS));
      await spill.write(Buffer.concat(block.lanes));
    }
  }

  /** The rows in their order, in chunks. */
  async *merge(spill: SpillFile): AsyncGenerator<LaneChunk> {
    const cursors = await Promise.all(
      this.#runs.map((run) => SequenceCursor.open(run, this.#widths, this.#rowBytes, spill)),
    );
    while (cursors.length > 0) {
      // A run that begins earlier precedes others with the same time.
      let first = 0;
      let limit = Number.POSITIVE_INFINITY;
      let isLimitAfter = true;
      for (let i = 1; i < cursors.length; i++) {
        const time = cursors[i]?.time as number;
        const best = cursors[first]?.time as number;
        if (time < best) {
          limit = best;
          isLimitAfter = false;
          first = i;
        } else if (time < limit) {
          limit = time;
          isLimitAfter = true;
        }
      }
      const cursor = cursors[first] as SequenceCursor;
      yield cursor.take(limit, isLimitAfter);
      if (!(await cursor.fill())) cursors.splice(first, 1);
    }
  }
}

/** Reads a run block by block. */
class SequenceCursor {
  readonly #widths: readonly number[];
  readonly #rowBytes: number;
  readonly #spill: SpillFile;
  readonly #end: number;
  #at: number;
  #block: LaneChunk = { rows: 0, lanes: [] };
  #times = new Float64Array();
  #row = 0;

  private constructor({ at, rows }: Run, widths: readonly number[], rowBytes: number, spill: SpillFile) {
    this.#widths = widths;
    this.#rowBytes = rowBytes;
    this.#spill = spill;
    this.#at = at;
    this.#end = at + rows * rowBytes;
  }

  static async open(
    run: Run,
    widths: readonly number[],
    rowBytes: number,
    spill: SpillFile,
  ): Promise<SequenceCursor> {
    const cursor = new SequenceCursor(run, widths, rowBytes, spill);
    await cursor.fill();
    return cursor;
  }

  /** Time of the next row. */
  get time(): number {
    return this.#times[this.#row] as number;
  }

  /** Takes the rows of the block that precede a time, or also those at it. At least one. */
  take(limit: number, includesLimit: boolean): LaneChunk {
    const start = this.#row;
    let end = start + 1;
    while (end < this.#block.rows) {
      const time = this.#times[end] as number;
      if (includesLimit ? time > limit : time >= limit) break;
      end++;
    }
    this.#row = end;
    const lanes = this.#block.lanes.map((lane, i) => {
      const width = this.#widths[i] as number;
      return lane.subarray(start * width, end * width);
    });
    return { rows: end - start, lanes };
  }

  /** Reads the next block if this one is used up; false at the end. */
  async fill(): Promise<boolean> {
    if (this.#row < this.#block.rows) return true;
    if (this.#at === this.#end) return false;
    const bytes = new Uint8Array(Math.min(BLOCK_ROWS * this.#rowBytes, this.#end - this.#at));
    await this.#spill.read(bytes, this.#at);
    this.#at += bytes.length;
    const rows = bytes.length / this.#rowBytes;
    let offset = 0;
    const lanes = this.#widths.map((width) => {
      offset += rows * width;
      return bytes.subarray(offset - rows * width, offset);
    });
    this.#block = { rows, lanes };
    this.#times = readTimes(lanes.at(-1) as Uint8Array);
    this.#row = 0;
    return true;
  }
}

/** Nanoseconds as doubles. They are multiples of a microsecond, so different times stay different. */
function readTimes(lane: Uint8Array): Float64Array<ArrayBuffer> {
  const view = new DataView(lane.buffer, lane.byteOffset, lane.byteLength);
  const times = new Float64Array(lane.length / 8);
  for (let row = 0; row < times.length; row++) times[row] = Number(view.getBigUint64(8 * row, true));
  return times;
}
