import { type Batch, getDictionary } from '../../format/batch.js';
import type { TradeBarType } from '../../market/message-type-name.js';
import { type ExportSource, type OutputOwner, sameOutputError } from '../export-target.js';
import type { SpillFile } from '../job-memory.js';
import { BarRows } from './bar-rows.js';
import { DeltaWriter } from './book-rows.js';
import { CATALOG_COLUMNS, countGroupRows, type FixedPrecision } from './catalog-columns.js';
import { type CatalogFile, RowGroupLanes } from './catalog-file.js';
import type { CatalogInstrument } from './catalog-instrument.js';
import type { CatalogTable } from './catalog-tables.js';
import { InstrumentRows } from './instrument-rows.js';
import { KernelMemory, type LaneChunk, type LaneSet } from './lane-memory.js';
import { type InstrumentBatch, LaneDecoder, type RowDecoder } from './row-decoder.js';

export interface CatalogPassInput {
  readonly source: ExportSource;
  readonly table: CatalogTable;
  readonly precision: FixedPrecision;
  /** Set to make bars of trades. */
  readonly bars: TradeBarType | undefined;
  /** Finds the instrument of a symbol as in the cells. */
  readonly findInstrument: (symbol: string) => CatalogInstrument;
  readonly ownerOf: (instrument: CatalogInstrument) => OutputOwner;
  /** Of the instrument's files. */
  readonly nameFolder: (instrument: CatalogInstrument) => string;
  /** Creates the file of an instrument. @param first time of its first row, in nanoseconds. */
  readonly createFile: (instrument: CatalogInstrument, first: bigint) => Promise<CatalogFile>;
  /** For rows to sort; undefined if rows must be in order. */
  readonly sortSpill: SpillFile | undefined;
}

/** Thrown for rows out of order, if they are not sorted. */
export class UnsortedRows extends Error {}

/** Memory for rows that wait to be written, in bytes, in files of many symbols. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;

/**
 * One pass over a source. Rows of a file with one symbol are encoded batch by batch. Those of many symbols are
 * collected by symbol, up to a limit of memory.
 */
export class CatalogPass {
  readonly #input: CatalogPassInput;
  readonly #memory = new KernelMemory();
  readonly #decoder: LaneDecoder;
  readonly #rows: RowDecoder;
  readonly #encoder: RowGroupLanes;
  readonly #groupRows: number;
  /** Used in turns: the last rows of a batch depend on the first row of the next. */
  readonly #batches: readonly [LaneSet, LaneSet];
  #turn = 0;
  #pending: { readonly instrument: InstrumentRows; readonly lanes: LaneSet } | undefined;
  /** Rows of one instrument, and those that are left after some are dropped. */
  readonly #joined: LaneSet;
  readonly #kept: LaneSet;
  readonly #deltas: LaneSet;
  readonly #byId = new Map<string, InstrumentRows>();
  /** By folder. */
  readonly #owners = new Map<string, OutputOwner>();
  #bars: BarRows | undefined;
  #rowsRead = 0;
  #bufferedRows = 0;
  /** Bars that were made and not written. */
  #barsToWrite = 0;
  /** Rows that the catalog cannot have. */
  droppedRows = 0;
  /** Rows of the source that are not written; of bars, the trades in those that are dropped. */
  droppedSourceRows = 0;
  isReordered = false;

  constructor(input: CatalogPassInput) {
    const { table, precision } = input;
    const columns = CATALOG_COLUMNS[table.type];
    this.#input = input;
    this.#decoder = new LaneDecoder(this.#memory, precision);
    this.#rows = table.createDecoder(this.#decoder);
    this.#encoder = new RowGroupLanes(this.#memory, columns, precision);
    this.#groupRows = countGroupRows(table.type, precision);
    const createLanes = (): LaneSet => this.#decoder.createLanes(this.#rows.columns);
    this.#batches = [createLanes(), createLanes()];
    this.#joined = createLanes();
    this.#kept = createLanes();
    this.#deltas = this.#decoder.createLanes(columns);
  }

  /** The instruments so far. */
  get instruments(): readonly InstrumentRows[] {
    return [...this.#byId.values()];
  }

  /** Values that lost decimals. */
  get roundedCount(): number {
    return this.#decoder.fixed.roundedCount;
  }

  /** @throws UnsortedRows; TickhaulError `usage`, `corrupt`, with the row; errors of `findInstrument`. */
  async push(batch: Batch): Promise<void> {
    const rows = this.#identify(batch);
    this.#rowsRead += batch.rows;
    if (!this.#input.bars) return this.#add(rows);
    const { path, file } = this.#input.source;
    const find = (symbol: string): CatalogInstrument => this.#input.findInstrument(symbol);
    this.#bars ??= new BarRows({ path, day: file.day }, this.#input.bars, find);
    this.#bars.push(rows);
    if (this.#bars.rows >= this.#groupRows) await this.#add(this.#bars.take());
  }

  async end(): Promise<void> {
    this.#bars?.end();
    if (this.#bars && this.#bars.rows > 0) await this.#add(this.#bars.take());
    if (this.#pending) await this.#write(this.#pending.instrument, this.#pending.lanes, undefined);
    for (const instrument of this.instruments) {
      if (instrument.bufferedRows > 0) await this.#drain(instrument, true);
      if (this.#input.sortSpill) await this.#merge(instrument, this.#input.sortSpill);
    }
    if (this.#input.bars && this.#barsToWrite !== this.droppedRows) throw new Error('bars were lost');
  }

  #identify(batch: Batch): InstrumentBatch {
    const { indices, texts } = getDictionary(batch, 'symbol');
    const instruments = texts.map((symbol) => this.#input.findInstrument(symbol));
    return { path: this.#input.source.path, rowsBefore: this.#rowsRead, batch, instruments, indices };
  }

  async #add(rows: InstrumentBatch): Promise<void> {
    const lanes = this.#batches[this.#turn] as LaneSet;
    this.#turn = 1 - this.#turn;
    this.#rows.decode(rows, lanes);
    const states = rows.instruments.map((instrument) => this.#open(instrument));
    this.#countSourceRows(rows, states, lanes);
    const [first] = states;
    if (first && this.#byId.size === 1 && !this.#input.sortSpill) {
      this.#checkOrder(first, lanes);
      if (this.#pending) await this.#write(first, this.#pending.lanes, eventTime(lanes, 0));
      this.#pending = { instrument: first, lanes };
      return;
    }
    if (this.#pending) this.#buffer(this.#pending.instrument, this.#pending.lanes.copy());
    this.#pending = undefined;
    const positions = states.length === 1 ? [] : groupPositions(rows.indices, states.length);
    for (const [i, instrument] of states.entries()) {
      const part = states.length === 1 ? lanes : this.#select(lanes, positions[i] as Int32Array);
      if (part.rows === 0) continue;
      this.#checkOrder(instrument, part);
      this.#buffer(instrument, part.copy());
      if (instrument.bufferedRows >= this.#groupRows) await this.#drain(instrument, false);
    }
    await this.#limitMemory();
  }

  /** @throws usage error if another owner has the folder. */
  #open(instrument: CatalogInstrument): InstrumentRows {
    const known = this.#byId.get(instrument.id);
    if (known?.instrument === instrument) return known;
    const { table, precision, ownerOf, nameFolder } = this.#input;
    const owner = ownerOf(instrument);
    const folder = nameFolder(instrument);
    const other = this.#owners.get(folder) ?? owner;
    if (other.name !== owner.name) throw sameOutputError(folder, other.name, owner);
    this.#owners.set(folder, owner);
    if (known) return known;
    const deltas = table.type === 'order_book_deltas' ? new DeltaWriter(this.#memory, precision) : undefined;
    const opened = new InstrumentRows(instrument, this.#joined.widths, deltas);
    this.#byId.set(instrument.id, opened);
    return opened;
  }

  /** Counts the trades of bars. Other rows are counted when they are written. */
  #countSourceRows(
    { indices, sourceRows }: InstrumentBatch,
    states: readonly InstrumentRows[],
    lanes: LaneSet,
  ): void {
    if (!sourceRows) return;
    const { index } = this.#input.table.requiredLane as NonNullable<CatalogTable['requiredLane']>;
    const width = lanes.widths[index] as number;
    const volumes = lanes.view(index);
    for (const [row, count] of sourceRows.entries()) {
      const isDropped = volumes.subarray(row * width, (row + 1) * width).every((byte) => byte === 0);
      if (isDropped) this.droppedSourceRows += count;
      else (states[indices[row] as number] as InstrumentRows).sourceRows += count;
    }
    this.#barsToWrite += sourceRows.length;
  }

  /** The rows of one instrument. */
  #select(lanes: LaneSet, positions: Int32Array): LaneSet {
    this.#joined.gather(lanes, this.#memory.load('rows', positions), positions.length);
    return this.#joined;
  }

  /** @throws UnsortedRows. */
  #checkOrder(instrument: InstrumentRows, lanes: LaneSet): void {
    const time = lanes.widths.length - 1;
    const isSorted = this.#memory.kernel.findStepBack(lanes.at(time), lanes.rows) === lanes.rows;
    if (instrument.follows(lanes.readLong(time, 0), lanes.readLong(time, lanes.rows - 1), isSorted)) return;
    if (!this.#input.sortSpill) throw new UnsortedRows();
    this.isReordered = true;
  }

  #buffer(instrument: InstrumentRows, chunk: LaneChunk): void {
    instrument.buffer(chunk);
    this.#bufferedRows += chunk.rows;
  }

  async #limitMemory(): Promise<void> {
    const rowBytes = this.#joined.widths.reduce((sum, width) => sum + width, 0);
    while (this.#bufferedRows * rowBytes > MAX_BUFFERED_BYTES) {
      const largest = this.instruments.reduce((a, b) => (b.bufferedRows > a.bufferedRows ? b : a));
      await this.#drain(largest, false);
    }
  }

  /** Writes the rows in memory, except for the last one if more may follow, or sorts them for the merge. */
  async #drain(instrument: InstrumentRows, isEnd: boolean): Promise<void> {
    const lanes = this.#joined;
    this.#bufferedRows -= instrument.bufferedRows;
    instrument.takeBuffered(lanes);
    const { sortSpill } = this.#input;
    if (sortSpill) {
      return instrument.sorter.append(lanes, this.#kept, this.#memory, sortSpill);
    }
    if (isEnd) return this.#write(instrument, lanes, undefined);
    const last = lanes.rows - 1;
    this.#buffer(instrument, lanes.copy(last));
    if (last === 0) return;
    lanes.rows = last;
    await this.#write(instrument, lanes, eventTime(lanes, last));
  }

  async #merge(instrument: InstrumentRows, spill: SpillFile): Promise<void> {
    const lanes = this.#joined;
    for await (const chunk of instrument.sorter.merge(spill)) {
      if (instrument.bufferedRows >= this.#groupRows) {
        instrument.takeBuffered(lanes);
        await this.#write(instrument, lanes, firstEventTime(chunk));
      }
      instrument.buffer(chunk);
    }
    instrument.takeBuffered(lanes);
    await this.#write(instrument, lanes, undefined);
  }

  /** @param next exchange time of the row after these, in nanoseconds. */
  async #write(instrument: InstrumentRows, lanes: LaneSet, next: bigint | undefined): Promise<void> {
    instrument.deltas?.write(lanes, this.#deltas, next);
    const out = instrument.deltas ? this.#deltas : this.#dropZeros(lanes);
    if (this.#input.bars) this.#barsToWrite -= out.rows;
    else instrument.sourceRows += instrument.deltas ? lanes.rows : out.rows;
    if (out.rows === 0) return;
    const time = out.widths.length - 1;
    if (!instrument.file) instrument.first = out.readLong(time, 0);
    instrument.last = out.readLong(time, out.rows - 1);
    instrument.file ??= await this.#input.createFile(instrument.instrument, instrument.first);
    await instrument.file.append(this.#encoder.encode(out));
  }

  #dropZeros(lanes: LaneSet): LaneSet {
    const { requiredLane } = this.#input.table;
    if (!requiredLane) return lanes;
    const { index } = requiredLane;
    const rows = this.#memory.buffer('rows', 4 * lanes.rows);
    const width = lanes.widths[index] as number;
    const count = this.#memory.kernel.findNonZero(lanes.at(index), width, lanes.rows, rows);
    if (count === lanes.rows) return lanes;
    this.droppedRows += lanes.rows - count;
    if (!this.#input.bars) this.droppedSourceRows += lanes.rows - count;
    this.#kept.gather(lanes, rows, count);
    return this.#kept;
  }
}

/** The positions of each index, from 0 up to `count`, in their order. */
function groupPositions(indices: Int32Array, count: number): readonly Int32Array[] {
  const ends = new Int32Array(count + 1);
  for (const index of indices) ends[index + 1] = (ends[index + 1] as number) + 1;
  for (let i = 0; i < count; i++) ends[i + 1] = (ends[i + 1] as number) + (ends[i] as number);
  const starts = ends.slice();
  const positions = new Int32Array(indices.length);
  for (const [row, index] of indices.entries()) {
    const at = starts[index] as number;
    positions[at] = row;
    starts[index] = at + 1;
  }
  return Array.from({ length: count }, (_, i) => positions.subarray(ends[i], ends[i + 1]));
}

/** Exchange time of a row, in nanoseconds. */
function eventTime(lanes: LaneSet, row: number): bigint {
  return lanes.readLong(lanes.widths.length - 2, row);
}

function firstEventTime({ lanes }: LaneChunk): bigint {
  return Buffer.from(lanes.at(-2)?.buffer ?? new ArrayBuffer(8), lanes.at(-2)?.byteOffset).readBigUInt64LE();
}
