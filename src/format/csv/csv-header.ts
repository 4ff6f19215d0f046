import { isUtf8 } from 'node:buffer';
import type { TickhaulError } from '../../base/errors.js';
import { type Column, dataTypeColumns, LEADING_COLUMNS } from '../../dataset/data-types.js';
import type { Schema } from '../batch.js';
import { createLineError, formatCell } from './csv-errors.js';

export interface CsvHeader {
  readonly schema: Schema;
  /** Names columns that the data type isn't known to have; undefined where there are none. */
  readonly warning: string | undefined;
}

/** The schema of a data type, whatever a file says; of an unknown type, the columns that every file has. */
export function dataTypeSchema(dataType: string): Schema {
  return dataTypeColumns(dataType) ?? LEADING_COLUMNS;
}

/**
 * Reads the names of a header row. Columns may stand in any order; their kinds come from the data type's table
 * (service facts, CSV layouts), and a column that isn't in it is text.
 * @throws TickhaulError `createCorruptError`: not a header, a name twice, a column missing
 */
export function parseCsvHeader(cells: readonly Uint8Array[], source: string, dataType: string): CsvHeader {
  const known = new Map(dataTypeSchema(dataType).map((column) => [column.name, column]));
  const names = cells.map((cell) => {
    const name = parseColumnName(cell);
    if (name === undefined) throw fail(`no header: ${formatCell(cell)} is not a column name`);
    return name;
  });
  if (!LEADING_COLUMNS.some(({ name }) => names.includes(name))) {
    const first = cells[0] ?? new Uint8Array();
    throw fail(`no header: the line begins with ${formatCell(first)} and not with "exchange"`);
  }
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw fail(`column ${name}: the name occurs twice`);
    seen.add(name);
  }
  const missing = [...known.keys()].filter((name) => !seen.has(name));
  if (missing.length > 0) throw fail(`column ${missing.join(', ')}: missing in the header of ${dataType}`);

  const schema = names.map((name): Column => known.get(name) ?? { name, kind: 'text' });
  const unknown = names.filter((name) => !known.has(name));
  const warning =
    unknown.length > 0
      ? `${source}: not known as columns of ${dataType}, kept as text: ${unknown.join(', ')}`
      : undefined;
  return { schema, warning };

  function fail(problem: string): TickhaulError {
    return createLineError({ source, line: 1 }, problem);
  }
}

/** Undefined for what is binary, empty or too long. */
function parseColumnName(cell: Uint8Array): string | undefined {
  if (cell.length === 0 || cell.length > 256 || !isUtf8(cell)) return undefined;
  const name = Buffer.from(cell).toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\u0000-\u001f\u007f\ufeff]/.test(name) ? undefined : name;
}
