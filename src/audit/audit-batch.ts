import type { Batch, Schema, TextColumn } from '../format/batch.js';
import { getColumn } from '../market/batch-columns.js';
import type { RowPlace } from '../run/audited-day.js';
import type { BatchRows } from './shared/batch-rows.js';
import type { BookStates } from './shared/book-states.js';
import type { IdNumbers } from './shared/id-numbers.js';

/** A batch of rows as the checks read it. What several checks need is computed once. */
export interface AuditBatch extends BatchRows {
  readonly schema: Schema;
  readonly batch: Batch;
  /** The symbols of the file so far, by number. */
  readonly symbolNames: readonly string[];
  /** States that began in this batch; empty for data types without best prices. */
  readonly bookStates: BookStates;
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
