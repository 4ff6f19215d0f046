import { isUtf8 } from 'node:buffer';
import { type Column, dataTypeColumns, LEADING_COLUMNS } from '../../dataset/data-types.js';
import type { Schema } from '../batch.js';
import { createLineError, formatCell } from './csv-errors.js';
import { inferDataType } from './header-buffer.js';

export interface CsvHeader {
  readonly schema: Schema;
  /**
   * Lists the columns that the data type is not known to have; undefined if there are none. The caller adds what becomes
   * of them.
   */
  readonly warning: string | undefined;
}

/** Memory is allocated for each column of a batch; real files have about a hundred. */
const MAX_COLUMNS = 4096;

/** The columns of a data type; the leading columns if the type is unknown. */
export function dataTypeSchema(dataType: string): Schema {
  return dataTypeColumns(dataType) ?? LEADING_COLUMNS;
}

/**
 * Parses the names of a header row. Columns may have any order; their kinds depend on the data type, and
 * unknown columns are text (docs/spec/csv-files.md#header).
 * @throws TickhaulError `corrupt`: not a header, a duplicate name, a missing column.
 */
export function parseCsvHeader(cells: readonly Uint8Array[], source: string, dataType: string): CsvHeader {
  const problem = findHeaderProblem(cells, dataType);
  const names = cells.map((cell) => parseColumnName(cell) ?? '');
  if (problem !== undefined) {
    const actual = inferDataType(names);
    // The type may have been given for all files.
    const remedy = actual === undefined ? '' : `, which is that of ${actual} (leave out --type, if given)`;
    throw createLineError({ source, line: 1 }, problem + remedy);
  }
  const known = new Map(dataTypeSchema(dataType).map((column) => [column.name, column]));
  const schema = names.map((name): Column => known.get(name) ?? { name, kind: 'text' });
  const unknown = names.filter((name) => !known.has(name));
  const warning =
    unknown.length > 0 ? `${source}: unknown columns of ${dataType}: ${unknown.join(', ')}` : undefined;
  return { schema, warning };
}

/** Why cells are not the header of a data type: not a header, a duplicate name, a missing column. */
export function findHeaderProblem(cells: readonly Uint8Array[], dataType: string): string | undefined {
  if (cells.length > MAX_COLUMNS) return `no header: it has more than ${MAX_COLUMNS} columns`;
  if (cells[0] && hasByteOrderMark(cells[0]))
    return 'no header: the file begins with a byte order mark, so another program has rewritten it; remove the mark';
  const seen = new Set<string>();
  let duplicate: string | undefined;
  for (const cell of cells) {
    const name = parseColumnName(cell);
    if (name === undefined) return `no header: ${formatCell(cell)} is not a column name`;
    if (seen.has(name)) duplicate ??= name;
    seen.add(name);
  }
  if (!LEADING_COLUMNS.some(({ name }) => seen.has(name))) {
    const first = cells[0] ?? new Uint8Array();
    return `no header: the line begins with ${formatCell(first)} and not with "exchange"`;
  }
  if (duplicate !== undefined) return `column ${duplicate}: the name occurs twice`;
  const missing = dataTypeSchema(dataType).filter(({ name }) => !seen.has(name));
  return missing.length > 0
    ? `column ${missing.map(({ name }) => name).join(', ')}: missing in the header of ${dataType}`
    : undefined;
}

/** Whether bytes begin with the mark of UTF-8 or of UTF-16. */
function hasByteOrderMark([a, b, c]: Uint8Array): boolean {
  return (a === 0xef && b === 0xbb && c === 0xbf) || (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
}

/** Undefined if the cell is binary, empty or too long. */
function parseColumnName(cell: Uint8Array): string | undefined {
  if (cell.length === 0 || cell.length > 256 || !isUtf8(cell)) return undefined;
  const name = Buffer.from(cell).toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are searched for
  return /[\u0000-\u001f\u007f\ufeff]/.test(name) ? undefined : name;
}
