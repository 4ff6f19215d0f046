import { TickhaulError, usageError } from '../../base/errors.js';
import { type Batch, getColumn, type NumberColumn } from '../../format/batch.js';
import { SELECT_OTHERS } from '../export-target.js';
import { type CatalogColumn, type FixedPrecision, laneWidth } from './catalog-columns.js';
import type { CatalogInstrument } from './catalog-instrument.js';
import { type FixedKind, FixedPointConverter } from './fixed-point.js';
import { type KernelMemory, LaneSet } from './lane-memory.js';

/** A batch with the instruments of its rows: row r belongs to `instruments[indices[r]]`. */
export interface InstrumentBatch {
  /** Path of the source, for messages. */
  readonly path: string;
  /** Rows of the source before the batch. */
  readonly rowsBefore: number;
  readonly batch: Batch;
  readonly instruments: readonly CatalogInstrument[];
  readonly indices: Int32Array;
  /** How many rows of the source each row was made of; by default one. */
  readonly sourceRows?: readonly number[] | undefined;
}

/** Columns of a day file in the kernel's memory, as lanes. The last two lanes are the times. */
export interface RowDecoder {
  readonly columns: readonly CatalogColumn[];
  /** Replaces the rows of `lanes`. @throws TickhaulError `usage`, `corrupt`, with the row. */
  decode(rows: InstrumentBatch, lanes: LaneSet): void;
}

/** Converts cells of batches to lanes. */
export class LaneDecoder {
  readonly memory: KernelMemory;
  readonly fixed: FixedPointConverter;
  readonly #precision: FixedPrecision;
  /** Addresses of the precisions of the rows of a batch. */
  #places: Readonly<Record<FixedKind, number>> = { price: 0, size: 0 };

  constructor(memory: KernelMemory, precision: FixedPrecision) {
    this.memory = memory;
    this.fixed = new FixedPointConverter(memory, precision);
    this.#precision = precision;
  }

  createLanes(columns: readonly CatalogColumn[]): LaneSet {
    return new LaneSet(
      this.memory,
      columns.map((column) => laneWidth(column, this.#precision)),
    );
  }

  /**
   * Starts a batch: stores its times, and the precisions of its rows.
   * @throws TickhaulError `corrupt` for a time before 1970.
   */
  open(rows: InstrumentBatch, lanes: LaneSet): void {
    const { memory } = this;
    const { batch } = rows;
    lanes.open(batch.rows);
    lanes.rows = batch.rows;
    for (const [i, name] of ['timestamp', 'local_timestamp'].entries()) {
      const column = getColumn(batch, name);
      if (column.kind !== 'time') throw new Error(`the column ${name} has no times`);
      const values = memory.load('times', column.values);
      const out = lanes.at(lanes.widths.length - 2 + i);
      const row = memory.kernel.convertToNanoseconds(values, batch.rows, out);
      if (row < batch.rows)
        throw new TickhaulError('corrupt', `${describeRow(rows, row)}: ${name} is before 1970`);
    }
    this.#places = { price: this.#loadPlaces(rows, 'price'), size: this.#loadPlaces(rows, 'size') };
  }

  #loadPlaces({ batch, instruments, indices }: InstrumentBatch, kind: FixedKind): number {
    const at = this.memory.buffer(`${kind} places`, batch.rows);
    const places = this.memory.bytes.subarray(at, at + batch.rows);
    const precisions = instruments.map(({ precision }) => precision[kind]);
    const [first = 0] = precisions;
    if (precisions.every((precision) => precision === first)) places.fill(first);
    else
      for (let row = 0; row < batch.rows; row++) places[row] = precisions[indices[row] as number] as number;
    return at;
  }

  /** Stores a column of numbers; an empty cell is 0. @throws TickhaulError `usage` if one is out of range. */
  decodeNumbers(rows: InstrumentBatch, name: string, kind: FixedKind, out: number): NumberColumn {
    const column = getColumn(rows.batch, name);
    if (column.kind !== 'number') throw new Error(`the column ${name} has no numbers`);
    const problem = this.fixed.convert(column, kind, this.#places[kind], out);
    if (!problem) return column;
    const what = `${describeRow(rows, problem.row)}: ${name} ${problem.text}`;
    const advice = this.#precision === 64 ? 'use --precision 128' : SELECT_OTHERS;
    throw usageError(`${what} does not fit into ${this.#precision} bits; ${advice}`);
  }

  /** Like `decodeNumbers`. @throws TickhaulError `corrupt` if a cell is empty. */
  decodeRequiredNumbers(rows: InstrumentBatch, name: string, kind: FixedKind, out: number): NumberColumn {
    const column = this.decodeNumbers(rows, name, kind, out);
    if (!column.nulls) return column;
    const what = `${describeRow(rows, column.nulls.indexOf(1))}: ${name}`;
    throw new TickhaulError('corrupt', `${what} is empty, but a value is required`);
  }
}

/** Names a row of a batch, counted from 1 in its file. */
export function describeRow({ path, rowsBefore }: InstrumentBatch, row: number): string {
  return `${path}: row ${rowsBefore + row + 1}`;
}
