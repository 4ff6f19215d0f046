import { sanitizeForTerminal } from '../../../base/sanitize-for-terminal.js';
import { textWidth } from './width.js';
import { longestPiece, wrapList } from './wrap.js';

/** A column of a table: its title, and each row's cell. */
export interface TableColumn<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Whether a cell may go over several lines: one of several words, or a list with commas. */
  readonly breaks?: boolean;
  cell(row: Row): string;
}

const GAP = '  ';

/**
 * Rows as aligned lines below a line of titles, each ending in a line break. Cells are made printable.
 * @param screen columns that lines are to fit, infinite by default: what doesn't fit beside the rest goes into further
 * lines below, column by column, and no word is ever broken.
 */
export function formatTable<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  screen = Number.POSITIVE_INFINITY,
): string {
  const titles = columns.map(({ title }) => title);
  const cells = rows.map((row) => columns.map(({ cell }) => sanitizeForTerminal(cell(row))));
  const lines = linesOf(columns, [titles, ...cells], screen);
  return [titles, ...cells].map((row) => lines.map((line) => lineText(line, row)).join('')).join('');
}

/** Where a column stands in its line of the table. */
interface PlacedColumn {
  readonly column: number;
  readonly isRight: boolean;
  readonly width: number;
}

/** Columns that stand side by side, some of them broken into several rows of the screen. */
interface Line {
  readonly indent: string;
  readonly places: readonly PlacedColumn[];
}

function linesOf<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly (readonly string[])[],
  screen: number,
): readonly Line[] {
  const lines: { indent: string; places: PlacedColumn[] }[] = [{ indent: '', places: [] }];
  let used = 0;
  for (const [column, { align, breaks }] of columns.entries()) {
    const most = (measure: (cell: string) => number): number =>
      rows.reduce((widest, row) => Math.max(widest, measure(row[column] ?? '')), 0);
    const whole = most(textWidth);
    // What would take more than two or three rows has a line of its own.
    const least = breaks === true && used + whole > screen ? Math.max(most(longestPiece), whole / 2) : whole;
    if (used > 0 && used + least > screen) {
      lines.push({ indent: GAP, places: [] });
      used = GAP.length;
    }
    const isCut = breaks === true && used + whole > screen;
    const width = isCut ? Math.max(most(longestPiece), screen - used) : whole;
    lines.at(-1)?.places.push({ column, isRight: align === 'right', width });
    used += width + GAP.length;
  }
  return lines;
}

function lineText({ indent, places }: Line, row: readonly string[]): string {
  const cells = places.map(({ column, width }) => wrapList(row[column] ?? '', width));
  const height = cells.reduce((most, { length }) => Math.max(most, length), 1);
  return Array.from({ length: height }, (_, i) => {
    const texts = places.map((place, at) => pad(cells[at]?.[i] ?? '', place));
    return `${indent}${texts.join(GAP)}`.trimEnd();
  })
    .map((text) => `${text}\n`)
    .join('');
}

function pad(cell: string, { width, isRight }: PlacedColumn): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(cell)));
  return isRight ? space + cell : cell + space;
}

/**
 * Name and value pairs as aligned lines; pairs without a value are left out. Values are made printable.
 * @param screen columns that lines are to fit, as of a table: a word that is too long beside the names goes below.
 */
export function formatPairs(
  pairs: readonly (readonly [string, string | undefined])[],
  screen = Number.POSITIVE_INFINITY,
): string {
  const shown = pairs.filter(([, value]) => value !== undefined && value !== '');
  const widest = Math.max(0, ...shown.map(([name]) => textWidth(name)));
  const indent = ' '.repeat(widest) + GAP;
  return shown
    .map(([name, value]) => {
      const text = sanitizeForTerminal(value ?? '');
      const isBelow = indent.length + longestPiece(text) > screen;
      const lines = wrapList(text, screen - (isBelow ? GAP : indent).length);
      return isBelow
        ? `${name}\n${GAP}${lines.join(`\n${GAP}`)}\n`
        : `${name}${indent.slice(textWidth(name))}${lines.join(`\n${indent}`)}\n`;
    })
    .join('');
}
