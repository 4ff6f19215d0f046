import { stripVTControlCharacters } from 'node:util';

/** Combining marks and invisible characters, which take no column. */
const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u;
/** Characters that terminals draw two columns wide: East Asian ones and emoji (Unicode Annex 11, W and F). */
const DOUBLE_WIDTH =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** The terminal columns of a text; colours take none. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += characterWidth(character);
  return width;
}

/** The beginning of a text, up to a number of columns. */
export function cutToWidth(text: string, columns: number): string {
  let width = 0;
  let cut = '';
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns) break;
    cut += character;
  }
  return cut;
}

/** The end of a text, up to a number of columns, after an ellipsis if it is cut. */
export function cutStart(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const characters = [...text];
  let width = 1;
  let from = characters.length;
  while (from > 0 && width + characterWidth(characters[from - 1] ?? '') <= columns) {
    from--;
    width += characterWidth(characters[from] ?? '');
  }
  return `…${characters.slice(from).join('')}`;
}

function characterWidth(character: string): number {
  if (character <= '\u007e' && character >= ' ') return 1;
  if (ZERO_WIDTH.test(character)) return 0;
  return DOUBLE_WIDTH.test(character) ? 2 : 1;
}

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

/** Wraps words, with an indent before each line. */
export function wrapHanging(words: readonly string[], columns: number, indent: string): string {
  const lines = wrapPieces(words, columns - indent.length);
  return lines.map((line) => indent + line).join('\n');
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
