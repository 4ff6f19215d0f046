import type { TextColumn } from '../../format/batch.js';
import { toDictionary } from '../../market/lines/write-text.js';

/** Codes of empty cells, and of texts without a code. */
export const EMPTY_CODE = 0;
export const OTHER_CODE = 255;

/** Maps the cells of a text column with few distinct values to codes from 1 to 254. */
export function readTextCodes(
  column: TextColumn,
  rows: number,
  codes: Readonly<Record<string, number>>,
): Uint8Array {
  const { indices, texts } = toDictionary(column);
  const byIndex = Uint8Array.from(
    texts,
    (text) => (Object.hasOwn(codes, text) ? codes[text] : undefined) ?? OTHER_CODE,
  );
  const out = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) out[row] = byIndex[indices[row] as number] as number;
  const { nulls } = column;
  if (nulls) for (let row = 0; row < rows; row++) if (nulls[row] === 1) out[row] = EMPTY_CODE;
  return out;
}
