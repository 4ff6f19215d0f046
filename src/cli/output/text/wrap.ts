import { textWidth } from './width.js';

/** Joins pieces with spaces into lines of at most `columns`; pieces are never broken. */
export function wrapPieces(pieces: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const line = lines.at(-1);
    if (line !== undefined && textWidth(line) + 1 + textWidth(piece) <= columns)
      lines[lines.length - 1] += ` ${piece}`;
    else lines.push(piece);
  }
  return lines;
}

/** Wraps lines between words. @param columns from `textColumns`. */
export function wrapLines(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (textWidth(line) <= columns ? line : wrapWords(line.split(' '), columns)))
    .join('\n');
}

/**
 * Wraps words. A word that fits no line, such as a path, stays in its place, where the terminal breaks it.
 */
function wrapWords(words: readonly string[], columns: number): string {
  let text = '';
  // Columns used in the last row.
  let usedColumns = 0;
  for (const [at, word] of words.entries()) {
    const width = textWidth(word);
    const continuesRow = at > 0 && (usedColumns + 1 + width <= columns || width > columns);
    text += at === 0 ? word : `${continuesRow ? ' ' : '\n'}${word}`;
    usedColumns = continuesRow ? usedColumns + 1 + width : width;
    if (usedColumns > columns) usedColumns = ((usedColumns - 1) % columns) + 1;
  }
  return text;
}

/** Wraps a sentence, or a list such as `trades,quotes`, at spaces and after commas. */
export function wrapList(text: string, columns: number): readonly string[] {
  if (textWidth(text) <= columns) return [text];
  const lines: string[] = [];
  for (const piece of splitPieces(text)) {
    const line = lines.at(-1);
    if (line !== undefined && textWidth(line) + textWidth(piece.trimEnd()) <= columns)
      lines[lines.length - 1] += piece;
    else lines.push(piece);
  }
  return lines.map((line) => line.trimEnd());
}

/** The columns that a text needs at least, however it is wrapped. */
export function longestPiece(text: string): number {
  return splitPieces(text).reduce((most, piece) => Math.max(most, textWidth(piece.trimEnd())), 0);
}

/** Splits a text into pieces that end with a comma or spaces. */
function splitPieces(text: string): readonly string[] {
  return text === '' ? [''] : text.split(/(?<=,(?! ))|(?<= )(?! )/);
}
