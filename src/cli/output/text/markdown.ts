import { formatTable } from './table.js';
import { longestPiece, textWidth, wrapList, wrapPieces } from './width.js';

export interface MarkdownStyle {
  /** Width of the text; code is not wrapped. */
  readonly columns: number;
  heading(text: string): string;
  /** The text for a link. */
  cite(label: string, target: string): string;
}

const CODE_INDENT = '    ';
const GAP = '  ';
const LINK = /\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)/g;

/**
 * Formats the Markdown of this project's pages for a terminal: headings, paragraphs and list items in one line each,
 * tables, code blocks. Other forms are printed as they are.
 */
export function formatMarkdown(markdown: string, style: MarkdownStyle): string {
  const blocks = markdown.match(/^```[\s\S]*?^```$|(?:^\|.*\n?)+|^.*$/gm) ?? [];
  const texts = blocks.map((block) => {
    if (block.startsWith('```')) return formatCode(block, style);
    return block.startsWith('|') ? formatMarkdownTable(block, style) : formatLine(block, style);
  });
  return texts
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
}

/** Formats a block of code; in one that is too wide, comments at the end of a line are put above it. */
function formatCode(block: string, { columns }: MarkdownStyle): string {
  const lines = block.split('\n').slice(1, -1);
  const isWide = lines.some((line) => CODE_INDENT.length + textWidth(line) > columns);
  const shown = isWide ? lines.map((line) => line.replace(/^(\S.*?) +(# [^'"]*)$/, '$2\n$1')) : lines;
  return shown
    .flatMap((line) => line.split('\n'))
    .map((line) => (CODE_INDENT + line).trimEnd())
    .join('\n');
}

/** Formats a heading, an item of a list or a paragraph. */
function formatLine(line: string, style: MarkdownStyle): string {
  if (line.startsWith('<!--')) return '';
  const [, heading] = /^#+ (.*)$/.exec(line) ?? [];
  if (heading !== undefined) return style.heading(toPlainText(heading, style));
  const [, indent = '', mark = '', text = ''] = /^( *)((?:[-*]|\d+\.) )?(.*)$/s.exec(line) ?? [];
  const hanging = ' '.repeat(indent.length + mark.length);
  const lines = wrapPieces(toPlainText(text, style).split(' '), style.columns - hanging.length);
  return lines.map((part, at) => (at === 0 ? indent + mark : hanging) + part).join('\n');
}

/** Formats a table in columns, with an empty line between rows if a cell has several lines. */
function formatMarkdownTable(block: string, style: MarkdownStyle): string {
  const [titles = [], , ...rows] = block
    .trim()
    .split('\n')
    .map((line) => {
      const cells = line.replace(/^\||\|\s*$/g, '').split(/(?<!\\)\|/);
      return cells.map((cell) => toPlainText(cell.trim(), style));
    });
  const all = [titles.map((title) => title.toUpperCase()), ...rows];
  const widths = chooseWidths(all, style.columns - GAP.length * (titles.length - 1));
  if (widths === undefined) return formatLongTable(all, style.columns);
  const texts = all.map((row) => formatRow(row, widths));
  return texts.join(texts.some((text) => text.includes('\n')) ? '\n\n' : '\n');
}

/**
 * Widths of columns, as browsers choose them: each has room for its longest word, and the rest of the width is shared in
 * proportion to what the columns lack. Undefined if there is no room.
 */
function chooseWidths(rows: readonly (readonly string[])[], width: number): readonly number[] | undefined {
  const measure = (column: number, widthOf: (cell: string) => number): number =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? '')));
  const count = rows[0]?.length ?? 0;
  const least = Array.from({ length: count }, (_, column) => measure(column, longestPiece));
  const full = Array.from({ length: count }, (_, column) => measure(column, textWidth));
  const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0);
  if (sum(least) > width) return undefined;
  const share = Math.min(1, (width - sum(least)) / Math.max(1, sum(full) - sum(least)));
  return least.map((min, column) => min + Math.floor(((full[column] ?? min) - min) * share));
}

/** Formats a table whose columns continue in lines below. */
function formatLongTable([titles = [], ...rows]: readonly (readonly string[])[], columns: number): string {
  const places = titles.map((title, at) => ({
    title,
    breaks: true,
    cell: (row: readonly string[]) => row[at] ?? '',
  }));
  // An empty cell of a line below is no line.
  return formatTable(places, rows, columns).replace(/^\s*\n/gm, '');
}

function formatRow(row: readonly string[], widths: readonly number[]): string {
  const cells = widths.map((width, column) => wrapList(row[column] ?? '', width));
  const height = Math.max(...cells.map(({ length }) => length));
  const lines = Array.from({ length: height }, (_, line) => {
    const texts = cells.map((cell, column) => {
      const text = cell[line] ?? '';
      return text + ' '.repeat(Math.max(0, (widths[column] ?? 0) - textWidth(text)));
    });
    return texts.join(GAP).trimEnd();
  });
  return lines.join('\n');
}

/** Removes the marks of code, emphasis and links. */
function toPlainText(text: string, { cite }: MarkdownStyle): string {
  const cited = text.replace(LINK, (_, label: string, target: string) => cite(label, target));
  return cited
    .split(/(`[^`]+`)/)
    .map((part, at) =>
      at % 2 === 1 ? formatCodeSpan(part) : part.replace(/\*\*|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)/g, ''),
    )
    .join('')
    .replace(/\\([\\`*_|[\]<>])/g, '$1');
}

/** Code without its marks, which only signs such as `-` need to be seen. */
function formatCodeSpan(span: string): string {
  const code = span.slice(1, -1);
  return /[\p{L}\p{N}]/u.test(code) ? code : span;
}
