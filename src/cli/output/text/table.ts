import { printable } from '../../../base/printable.js';
import { textWidth } from './width.js';

/** A column of a table: its title, and each row's cell. */
export interface Column<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  cell(row: Row): string;
}

const GAP = '  ';

/** Rows as aligned lines below a line of titles, each ending in a line break; never wrapped. Cells are made printable. */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cell }) => printable(cell(row)))),
  ];
  const widths = columns.map((_, i) =>
    lines.reduce((widest, line) => Math.max(widest, textWidth(line[i] ?? '')), 0),
  );
  const pad = (cell: string, i: number): string => {
    const space = ' '.repeat((widths[i] ?? 0) - textWidth(cell));
    return columns[i]?.align === 'right' ? space + cell : cell + space;
  };
  return lines.map((line) => `${line.map(pad).join(GAP).trimEnd()}\n`).join('');
}

/** Name and value pairs as aligned lines; pairs without a value are left out. Values are made printable. */
export function formatPairs(pairs: readonly (readonly [string, string | undefined])[]): string {
  const shown = pairs.filter(([, value]) => value !== undefined && value !== '');
  const widest = Math.max(0, ...shown.map(([name]) => textWidth(name)));
  return shown
    .map(([name, value]) => `${name}${' '.repeat(widest - textWidth(name))}${GAP}${printable(value ?? '')}\n`)
    .join('');
}
