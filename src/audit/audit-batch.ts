import type { Batch, Schema, TextColumn } from '../format/batch.js';
import { getColumn } from '../market/batch-columns.js';
import type { RowPlace } from './check-result.js';
import type { BookStates } from './shared/book-states.js';
import type { IdNumbers } from './shared/id-numbers.js';

/**
 * A batch of rows as the checks read it. Numbers and times are NaN in empty cells, so that every comparison with one
 * is false. What several checks need is computed once.
 */
export interface AuditBatch {
  readonly schema: Schema;
  readonly batch: Batch;
  readonly rows: number;
  /** Number of the row before the first one, counted from 1. */
  readonly rowsBefore: number;
  /** Microseconds since the epoch. */
  readonly timestamps: Float64Array;
  readonly localTimestamps: Float64Array;
  /**
   * Of each row, the greatest local timestamp within the file's day up to this row; the start of the day before
   * there is one.
   */
  readonly clocks: Float64Array;
  /** Of each row, the position in `symbolNames`; -1 if the cell is empty. */
  readonly symbols: Int32Array;
  /** The symbols of the file so far, in the order in which they first appear. */
  readonly symbolNames: readonly string[];
  /** States after the book changes or rows that ended in this batch; empty for data types without a book. */
  readonly bookStates: BookStates;
  /** The values of a number column. */
  numbers(name: string): Float64Array;
  /** The ids of trades as numbers. */
  ids(): IdNumbers;
}

/** A text column of a batch. */
export function getTextColumn({ schema, batch }: AuditBatch, name: string): TextColumn {
  const column = getColumn(schema, batch, name);
  if (column.kind === 'text') return column;
  throw new Error(`the column ${name} has no text`);
}

/** Describes a row for `first`. */
export function placeOf(batch: AuditBatch, row: number): RowPlace {
  return createPlace(
    batch,
    batch.rowsBefore + row + 1,
    batch.localTimestamps[row] as number,
    batch.symbols[row] as number,
  );
}

/** @param row counted from 1. @param local NaN if empty. @param symbol position in `symbolNames`; -1 if empty. */
export function createPlace(
  { symbolNames }: Pick<AuditBatch, 'symbolNames'>,
  row: number,
  local: number,
  symbol: number,
): RowPlace {
  return {
    row,
    localTimestamp: Number.isNaN(local) ? null : local,
    symbol: symbolNames[symbol] ?? null,
  };
}
