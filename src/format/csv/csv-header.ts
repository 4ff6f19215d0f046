import { isUtf8 } from 'node:buffer';
import type { TickhaulError } from '../../base/errors.js';
import { type Column, dataTypeColumns, LEADING_COLUMNS } from '../../dataset/data-types.js';
import type { Schema } from '../batch.js';
import { createLineError, formatCell } from './csv-errors.js';

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
  if (cells.length > MAX_COLUMNS)
    throw createHeaderError(`no header: it has more than ${MAX_COLUMNS} columns`);
  if (cells[0] && hasByteOrderMark(cells[0])) {
    throw createHeaderError(
      'no header: the file begins with a byte order mark, so another program has rewritten it; remove the mark',
    );
  }
  const known = new Map(dataTypeSchema(dataType).map((column) => [column.name, column]));
  const names = cells.map((cell) => {
    const name = parseColumnName(cell);
    if (name === undefined) throw createHeaderError(`no header: ${formatCell(cell)} is not a column name`);
    return name;
  });
  if (!LEADING_COLUMNS.some(({ name }) => names.includes(name))) {
    const first = cells[0] ?? new Uint8Array();
    throw createHeaderError(`no header: the line begins with ${formatCell(first)} and not with "exchange"`);
  }
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw createHeaderError(`column ${name}: the name occurs twice`);
    seen.add(name);
  }
  const missing = [...known.keys()].filter((name) => !seen.has(name));
  if (missing.length > 0)
    throw createHeaderError(`column ${missing.join(', ')}: missing in the header of ${dataType}`);

  const schema = names.map((name): Column => known.get(name) ?? { name, kind: 'text' });
  const unknown = names.filter((name) => !known.has(name));
  const warning =
    unknown.length > 0 ? `${source}: unknown columns of ${dataType}: ${unknown.join(', ')}` : undefined;
  return { schema, warning };

  function createHeaderError(problem: string): TickhaulError {
    return createLineError({ source, line: 1 }, problem);
  }
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
