import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { DataType } from '../../../src/day-files/data-types.js';
import { type Line, linesOf } from '../../market/lines-of.js';

/** The lines of a day file on disk. */
export function linesOfFile(
  dir: string,
  exchange: string,
  dataType: DataType,
  day: string,
  symbol: string,
  names: readonly string[],
): Line[] {
  const path = join(dir, `${exchange}_${dataType}_${day}_${symbol}.csv.gz`);
  return linesOf(dataType, gunzipSync(readFileSync(path)).toString(), names);
}

/** A plain merge: the earliest next line of all inputs, in the order of the inputs if equal. */
export function mergeByTime(inputs: readonly (readonly Line[])[]): Line[] {
  const rest = inputs.map((input) => [...input].reverse());
  const merged: Line[] = [];
  for (;;) {
    const heads = rest.map((input) => input.at(-1)?.localTimestamp ?? Number.POSITIVE_INFINITY);
    const first = heads.indexOf(Math.min(...heads));
    const line = rest[first]?.pop();
    if (!line) return merged;
    merged.push(line);
  }
}

export function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => `${text}\n`).join('');
}
