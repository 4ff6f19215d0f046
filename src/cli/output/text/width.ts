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
