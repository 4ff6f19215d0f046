import { textWidth } from './width.js';

/** Pieces with spaces between them, in lines of so many columns; a piece is never broken. */
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

/** Lines that break between words where they are longer. @param columns as `textColumns` gives them. */
export function wrapLines(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (textWidth(line) <= columns ? line : wrapWords(line.split(' '), columns)))
    .join('\n');
}

/** A word that fits no line, such as a path, begins where it is, and the terminal breaks it. */
function wrapWords(words: readonly string[], columns: number): string {
  let text = '';
  // Of the last row.
  let used = 0;
  for (const [at, word] of words.entries()) {
    const width = textWidth(word);
    const goesOn = at > 0 && (used + 1 + width <= columns || width > columns);
    text += at === 0 ? word : `${goesOn ? ' ' : '\n'}${word}`;
    used = goesOn ? used + 1 + width : width;
    if (used > columns) used = ((used - 1) % columns) + 1;
  }
  return text;
}

/** A sentence, or a list such as `trades,quotes`, in lines of so many columns: it breaks at spaces and behind commas. */
export function wrapList(text: string, columns: number): readonly string[] {
  if (textWidth(text) <= columns) return [text];
  const lines: string[] = [];
  for (const piece of piecesOf(text)) {
    const line = lines.at(-1);
    if (line !== undefined && textWidth(line) + textWidth(piece.trimEnd()) <= columns)
      lines[lines.length - 1] += piece;
    else lines.push(piece);
  }
  return lines.map((line) => line.trimEnd());
}

/** Columns that a text needs wherever it is broken. */
export function longestPiece(text: string): number {
  return piecesOf(text).reduce((most, piece) => Math.max(most, textWidth(piece.trimEnd())), 0);
}

/** Each ends in the comma or the spaces behind it. */
function piecesOf(text: string): readonly string[] {
  return text === '' ? [''] : text.split(/(?<=,(?! ))|(?<= )(?! )/);
}
