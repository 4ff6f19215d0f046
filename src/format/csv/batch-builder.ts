import type { ColumnKind } from '../../dataset/data-types.js';
import { LEADING_COLUMNS } from '../../dataset/data-types.js';
import type { Batch, ColumnData, Nulls, Schema, TextValues } from '../columns.js';
import { type Parsed, parseBoolean, parseDecimal, parseTime } from './number.js';
import { TextColumnBuilder } from './text-column.js';
import { type TextBudget, TextValuesBuilder } from './text-values.js';

/** The kinds as small integers, for the loop over cells. */
export const KIND = { time: 0, number: 1, boolean: 2, text: 3 } as const satisfies Record<ColumnKind, number>;

const PARSERS = [parseTime, parseDecimal, parseBoolean] as const;

/** Text that a batch takes before it ends early, in bytes. */
const MAX_TEXT = 32 * 1024 * 1024;

/** Keeps the columns of a batch off one another's cache lines: the usual 2^17 rows would share one set. */
const LANE_GAP = 24;

/**
 * One batch in the making. Columns of one element type share one array, each with a lane of its own that begins
 * at `lanes[column]`; so the loop over cells indexes three arrays, whatever the schema.
 */
export class BatchBuilder {
  row = 0;
  readonly kinds: Uint8Array;
  readonly lanes: Int32Array;
  /** Times and numbers. */
  readonly doubles: Float64Array<ArrayBuffer>;
  readonly booleans: Uint8Array<ArrayBuffer>;
  readonly indices: Int32Array<ArrayBuffer>;
  /** For a text column: the entry of its dictionary that the last row had, -1 for none. */
  readonly lastIndex: Int32Array;
  readonly texts: readonly (TextColumnBuilder | undefined)[];
  readonly numberTexts: readonly (TextValuesBuilder | undefined)[];
  readonly budget: TextBudget = { left: MAX_TEXT };
  readonly #nulls: (Uint8Array<ArrayBuffer> | undefined)[];
  readonly #nullCounts: number[];

  constructor(
    readonly schema: Schema,
    readonly capacity: number,
    numberText: boolean,
  ) {
    const stride = capacity + LANE_GAP;
    const counts = [0, 0, 0];
    this.kinds = Uint8Array.from(schema, ({ kind }) => KIND[kind]);
    this.lanes = Int32Array.from(this.kinds, (kind) => {
      const store = Math.max(0, kind - 1);
      const lane = (counts[store] ?? 0) * stride;
      counts[store] = (counts[store] ?? 0) + 1;
      return lane;
    });
    const [doubles = 0, booleans = 0, texts = 0] = counts;
    this.doubles = new Float64Array(doubles * stride);
    this.booleans = new Uint8Array(booleans * stride);
    this.indices = new Int32Array(texts * stride);
    this.lastIndex = new Int32Array(schema.length).fill(-1);
    this.texts = schema.map(({ kind }, column) => {
      if (kind !== 'text') return undefined;
      const lane = this.lanes[column] ?? 0;
      return new TextColumnBuilder(this.indices.subarray(lane, lane + capacity), this.budget);
    });
    this.numberTexts = schema.map(({ kind }) =>
      kind === 'number' && numberText ? new TextValuesBuilder(this.budget, capacity, 16 * 1024) : undefined,
    );
    this.#nulls = schema.map(() => undefined);
    this.#nullCounts = schema.map(() => 0);
  }

  get full(): boolean {
    return this.row >= this.capacity || this.budget.left < 0;
  }

  /**
   * Takes any cell of the present row: the one way for what the loop over cells doesn't do itself. Returns what
   * is wrong with the cell, as a sentence's end.
   */
  append(column: number, source: Buffer, start: number, end: number): string | undefined {
    if (start === end) return this.#appendNull(column);
    const text = this.texts[column];
    if (text) {
      const index = text.append(this.row, source, start, end);
      this.lastIndex[column] = index;
      return index === -2 ? 'is not UTF-8 text' : undefined;
    }
    const kind = this.kinds[column] as number;
    const value: Parsed | undefined = PARSERS[kind]?.(source, start, end);
    if (typeof value !== 'number') return value;
    const at = (this.lanes[column] as number) + this.row;
    if (kind === KIND.boolean) this.booleans[at] = value;
    else this.doubles[at] = value;
    this.numberTexts[column]?.append(source, start, end);
    return undefined;
  }

  /** Gives the rows from `start` up to, not including, `end` the value of the row before them. */
  repeat(column: number, start: number, end: number): void {
    const lane = this.lanes[column] as number;
    const kind = this.kinds[column];
    const { doubles, booleans, indices } = this;
    if (kind === KIND.text) {
      const value = indices[lane + start - 1] as number;
      for (let at = lane + start; at < lane + end; at++) indices[at] = value;
    } else if (kind === KIND.time) {
      const value = doubles[lane + start - 1] as number;
      for (let at = lane + start; at < lane + end; at++) doubles[at] = value;
    } else {
      const value = booleans[lane + start - 1] as number;
      for (let at = lane + start; at < lane + end; at++) booleans[at] = value;
    }
  }

  finish(): Batch {
    return { rows: this.row, columns: this.schema.map((_, column) => this.#finishColumn(column)) };
  }

  #appendNull(column: number): string | undefined {
    if (REQUIRED.has(this.schema[column]?.name ?? '')) return 'is empty, and this column never is';
    const nulls = this.#nulls[column] ?? new Uint8Array(this.capacity);
    this.#nulls[column] = nulls;
    nulls[this.row] = 1;
    this.#nullCounts[column] = (this.#nullCounts[column] ?? 0) + 1;
    this.texts[column]?.append(this.row, EMPTY, 0, 0);
    this.numberTexts[column]?.append(EMPTY, 0, 0);
    return undefined;
  }

  #finishColumn(column: number): ColumnData {
    const kind = this.schema[column]?.kind ?? 'text';
    const lane = this.lanes[column] ?? 0;
    const nulls: Nulls = {
      nulls: this.#nulls[column]?.subarray(0, this.row),
      nullCount: this.#nullCounts[column] ?? 0,
    };
    const text = this.texts[column];
    if (text) return text.finish(this.row, nulls);
    if (kind === 'boolean') return { kind, values: this.booleans.subarray(lane, lane + this.row), ...nulls };
    const values = this.doubles.subarray(lane, lane + this.row);
    if (kind === 'time') return { kind, values, ...nulls };
    const digits: TextValues | undefined = this.numberTexts[column]?.finish();
    return { kind: 'number', values, text: digits, ...nulls };
  }
}

const REQUIRED: ReadonlySet<string> = new Set(LEADING_COLUMNS.map(({ name }) => name));
const EMPTY = Buffer.alloc(0);
