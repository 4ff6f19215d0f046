import type { ColumnData, TextValues } from '../../format/batch.js';
import type { AuditBatch } from '../audit-batch.js';
import type { CheckCounter, ContentCheck } from '../content-check.js';
import { RowCounter } from '../row-counter.js';
import { hasIds } from './duplicate-id.js';

/**
 * Rows equal to the previous row in every column, as text. Of trades and liquidations only rows with an id: two equal
 * fills without one are usual.
 */
export const duplicateRow: ContentCheck = {
  name: 'duplicate_row',
  appliesTo: () => true,
  degrades: true,
  start: ({ dataType }) => new DuplicateRowCounter(hasIds(dataType)),
};

class DuplicateRowCounter implements CheckCounter {
  readonly #needsId: boolean;
  readonly #found = new RowCounter();
  #candidates = new Int32Array();
  /** Cells of the last row of the previous batch. */
  #last: readonly string[] = [];

  constructor(needsId: boolean) {
    this.#needsId = needsId;
  }

  push(batch: AuditBatch): void {
    const { rows, schema } = batch;
    if (rows === 0) return;
    const { columns } = batch.batch;
    const idColumn = this.#needsId ? columns[schema.findIndex(({ name }) => name === 'id')] : undefined;
    const hasNoId = (row: number): boolean => idColumn?.nulls?.[row] === 1;
    const first = columns.map((column) => cellText(column, 0));
    if (first.every((cell, i) => cell === this.#last[i]) && !hasNoId(0)) this.#found.add(batch, 0);
    const candidates = this.#findEqualRows(columns, rows);
    for (const row of candidates) if (!hasNoId(row)) this.#found.add(batch, row);
    this.#last = columns.map((column) => cellText(column, rows - 1));
  }

  end() {
    return this.#found.result();
  }

  /** Rows that equal the previous row of the batch. Column by column, since few rows remain after the first ones. */
  #findEqualRows(columns: readonly ColumnData[], rows: number): Int32Array {
    if (this.#candidates.length < rows) this.#candidates = new Int32Array(rows);
    const candidates = this.#candidates;
    let count = rows - 1;
    for (let i = 0; i < count; i++) candidates[i] = i + 1;
    // Numbers differ most often.
    const ordered = columns.toSorted((a, b) => Number(b.kind === 'number') - Number(a.kind === 'number'));
    for (const column of ordered) {
      const values = column.kind === 'text' ? undefined : column.values;
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const row = candidates[i] as number;
        if (values && values[row] !== values[row - 1]) continue;
        candidates[kept] = row;
        kept++;
      }
      count = kept;
    }
    const equal = candidates.subarray(0, count);
    return equal.filter((row) => columns.every((column) => isSameCell(column, row)));
  }
}

/** Whether a cell has the same text as the one in the previous row. */
function isSameCell(column: ColumnData, row: number): boolean {
  const { nulls } = column;
  if (nulls && nulls[row] !== nulls[row - 1]) return false;
  if (column.kind === 'text') {
    return column.encoding === 'dictionary'
      ? column.indices[row] === column.indices[row - 1]
      : isSameText(column.text, row);
  }
  if (column.values[row] !== column.values[row - 1]) return false;
  return column.kind !== 'number' || column.text === undefined || isSameText(column.text, row);
}

function isSameText({ bytes, offsets }: TextValues, row: number): boolean {
  const [before, start, end] = [
    offsets[row - 1] as number,
    offsets[row] as number,
    offsets[row + 1] as number,
  ];
  if (end - start !== start - before) return false;
  for (let p = start, q = before; p < end; p++, q++) if (bytes[p] !== bytes[q]) return false;
  return true;
}

function cellText(column: ColumnData, row: number): string {
  if (column.nulls?.[row] === 1) return '';
  if (column.kind !== 'text') {
    const text = column.kind === 'number' ? column.text : undefined;
    return text ? readText(text, row) : String(column.values[row]);
  }
  return column.encoding === 'dictionary'
    ? readText(column.dictionary, column.indices[row] as number)
    : readText(column.text, row);
}

function readText({ bytes: { buffer, byteOffset }, offsets }: TextValues, index: number): string {
  const start = offsets[index] as number;
  return Buffer.from(buffer, byteOffset + start, (offsets[index + 1] as number) - start).toString('latin1');
}
