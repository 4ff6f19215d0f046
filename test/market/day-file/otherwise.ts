import { type DataType, type DayFileColumn, dataTypeColumns } from '../../../src/day-files/data-types.js';
import type { Random } from '../../../src/sandbox/simulation/seeded-random.js';
import { pick, respell, shuffled } from '../../format/fuzz/random-rows.js';
import type { Row } from '../naive/messages.js';

/** Columns that the data type is not known to have. */
const UNKNOWN: readonly DayFileColumn[] = ['new', 'id2'].map((name) => ({ name, kind: 'text' }));

/**
 * The text of a day file with these rows in a random form: columns in any order, unknown columns, other
 * spellings of cells, quotes, CRLF. Missing cells are empty.
 */
export function writtenOtherwise(random: Random, dataType: DataType, rows: readonly Row[]): string {
  if (rows.length === 0 && random.chance(0.3)) return '';
  const columns = dataTypeColumns(dataType) ?? [];
  const odd = random.chance(0.5) ? random.next() / 3 : 0;
  const quotes = random.chance(0.15) ? random.next() / 5 : 0;
  const lineEnd = random.chance(0.9) ? '\n' : '\r\n';
  const header = random.chance(0.2) ? shuffled(random, [...columns, ...UNKNOWN]) : columns;
  const quoted = (text: string): string =>
    random.chance(quotes) || text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
  const cellOf = (row: Row, { name, kind }: DayFileColumn): string => {
    const cell = UNKNOWN.some((column) => column.name === name) ? pick(random, ['', 'x,"\n1']) : row[name];
    return random.chance(odd) ? respell(random, Buffer.from(cell ?? ''), kind).toString() : (cell ?? '');
  };
  const lines = [
    header.map(({ name }) => name),
    ...rows.map((row) => header.map((column) => cellOf(row, column))),
  ];
  const text = lines.map((cells) => cells.map(quoted).join()).join(lineEnd);
  return random.chance(0.1) ? text : text + lineEnd;
}
