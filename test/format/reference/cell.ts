import type { ColumnKind } from '../../../src/day-files/data-types.js';

const GRAMMAR = {
  time: /^-?\d+$/,
  integer: /^-?\d+$/,
  boolean: /^(true|false)$/,
  number: /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/,
} as const;

const MISMATCH = {
  time: 'is not a time in integer microseconds',
  integer: 'is not a time in integer microseconds',
  boolean: 'is neither true nor false',
  number: 'is not a decimal number',
} as const;

/** The problem with a cell of a kind, as the end of a sentence; undefined if there is none. */
export function findProblem(kind: ColumnKind, cell: Buffer, isNeverEmpty: boolean): string | undefined {
  if (cell.length === 0) return isNeverEmpty ? 'is empty, but a value is required' : undefined;
  if (kind === 'text') return Buffer.from(cell.toString()).equals(cell) ? undefined : 'is not UTF-8 text';
  if (cell.length > 1024 || !GRAMMAR[kind].test(cell.toString('latin1'))) return MISMATCH[kind];
  const value = Number(cell);
  if (kind === 'time' && !Number.isSafeInteger(value)) {
    return 'is outside the range of times, 2^53 - 1 microseconds';
  }
  if (kind === 'number' && !Number.isFinite(value)) return 'is outside the range of a double';
  return undefined;
}
