import { sanitizeForTerminal } from '../../../base/text.js';
import { longestPiece, textWidth, wrapList } from './width.js';

/** A column of a table: its title, and the cell of each row. */
export interface TableColumn<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Whether cells may be wrapped: texts of several words, or lists with commas. */
  readonly breaks?: boolean;
  cell(row: Row): string;
}

const GAP = '  ';

/**
 * Formats rows as aligned lines below a line of titles, each ending with a line break. Cells are sanitized.
 * @param screen available columns, infinite by default: columns that do not fit continue in further lines below, and no
 * word is ever broken.
 */
export function formatTable<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  screen = Number.POSITIVE_INFINITY,
): string {
  const titles = columns.map(({ title }) => title);
  const cells = rows.map((row) => columns.map(({ cell }) => sanitizeForTerminal(cell(row))));
  const lines = layoutLines(columns, [titles, ...cells], screen);
  return [titles, ...cells].map((row) => lines.map((line) => formatLine(line, row)).join('')).join('');
}

/** Placement of a column in its line. */
interface PlacedColumn {
  readonly column: number;
  readonly isRight: boolean;
  readonly width: number;
}

/** Columns side by side, some of them wrapped. */
interface Line {
  readonly indent: string;
  readonly places: readonly PlacedColumn[];
}

function layoutLines<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly (readonly string[])[],
  screen: number,
): readonly Line[] {
  const lines: { indent: string; places: PlacedColumn[] }[] = [{ indent: '', places: [] }];
  let used = 0;
  for (const [column, { align, breaks }] of columns.entries()) {
    const measureWidest = (measure: (cell: string) => number): number =>
      rows.reduce((widest, row) => Math.max(widest, measure(row[column] ?? '')), 0);
    const fullWidth = measureWidest(textWidth);
    // A cell that would wrap into more than two or three rows gets a separate line.
    const minWidth =
      breaks === true && used + fullWidth > screen
        ? Math.max(measureWidest(longestPiece), fullWidth / 2)
        : fullWidth;
    if (used > 0 && used + minWidth > screen) {
      lines.push({ indent: GAP, places: [] });
      used = GAP.length;
    }
    const isCut = breaks === true && used + fullWidth > screen;
    const width = isCut ? Math.max(measureWidest(longestPiece), screen - used) : fullWidth;
    lines.at(-1)?.places.push({ column, isRight: align === 'right', width });
    used += width + GAP.length;
  }
  return lines;
}

function formatLine({ indent, places }: Line, row: readonly string[]): string {
  const cells = places.map(({ column, width }) => wrapList(row[column] ?? '', width));
  const height = cells.reduce((measureWidest, { length }) => Math.max(measureWidest, length), 1);
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
 * Formats name and value pairs as aligned lines, without pairs that have no value. Values are sanitized.
 * @param screen available columns: a word that does not fit next to the names is printed below.
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
