import { isNeverEmpty } from '../../../../src/day-files/data-types.js';
import type { Batch, ColumnData, Nulls, Schema } from '../../../../src/format/batch.js';
import { parseBoolean, parseDecimal, parseTimeUs } from '../../../../src/format/csv/csv-cells.js';
import { TextColumnBuilder } from './text-column.js';
import { TextValuesBuilder } from './text-values.js';

const PARSERS = {
  time: parseTimeUs,
  integer: parseTimeUs,
  number: parseDecimal,
  boolean: parseBoolean,
} as const;

/** Builds a batch cell by cell. */
export class BatchBuilder {
  row = 0;
  readonly #schema: Schema;
  readonly #capacity: number;
  readonly #values: readonly Float64Array<ArrayBuffer>[];
  readonly #texts: readonly (TextColumnBuilder | undefined)[];
  readonly #digits: readonly (TextValuesBuilder | undefined)[];
  readonly #nulls: readonly Uint8Array<ArrayBuffer>[];
  readonly #nullCounts: number[];

  constructor(schema: Schema, capacity: number, numberText: boolean) {
    this.#schema = schema;
    this.#capacity = capacity;
    this.#values = schema.map(() => new Float64Array(capacity));
    this.#texts = schema.map(({ kind }) =>
      kind === 'text' ? new TextColumnBuilder(new Int32Array(capacity)) : undefined,
    );
    this.#digits = schema.map(({ kind }) =>
      kind === 'number' && numberText ? new TextValuesBuilder(capacity, 16 * 1024) : undefined,
    );
    this.#nulls = schema.map(() => new Uint8Array(capacity));
    this.#nullCounts = schema.map(() => 0);
  }

  get full(): boolean {
    return this.row >= this.#capacity;
  }

  /** Appends a cell to the current row; returns the problem with it, as the end of a sentence. */
  append(index: number, cell: Buffer): string | undefined {
    const column = this.#schema[index];
    if (!column) return 'is one too many';
    const values = this.#values[index] ?? [];
    const text = this.#texts[index];
    if (cell.length === 0) {
      if (isNeverEmpty(column)) return 'is empty, but a value is required';
      const nulls = this.#nulls[index] ?? [];
      nulls[this.row] = 1;
      this.#nullCounts[index] = (this.#nullCounts[index] ?? 0) + 1;
      text?.append(this.row, cell, 0, 0);
      this.#digits[index]?.append(cell, 0, 0);
    } else if (column.kind === 'text') {
      if (text?.append(this.row, cell, 0, cell.length) === -2) return 'is not UTF-8 text';
    } else {
      const value = PARSERS[column.kind](cell, 0, cell.length);
      if (typeof value === 'string') return value;
      values[this.row] = value;
      this.#digits[index]?.append(cell, 0, cell.length);
    }
    return undefined;
  }

  finish(): Batch {
    return {
      rows: this.row,
      schema: this.#schema,
      columns: this.#schema.map((_, index) => this.#finishColumn(index)),
    };
  }

  #finishColumn(index: number): ColumnData {
    const kind = this.#schema[index]?.kind ?? 'text';
    const nullCount = this.#nullCounts[index] ?? 0;
    const nulls: Nulls = {
      nulls: nullCount > 0 ? this.#nulls[index]?.subarray(0, this.row) : undefined,
      nullCount,
    };
    const text = this.#texts[index];
    if (text) return text.finish(this.row, nulls);
    const values = (this.#values[index] ?? new Float64Array(0)).subarray(0, this.row);
    if (kind === 'boolean') return { kind, values: Uint8Array.from(values), ...nulls };
    if (kind === 'number') return { kind, values, text: this.#digits[index]?.finish(), ...nulls };
    return { kind: 'time', values, ...nulls };
  }
}
