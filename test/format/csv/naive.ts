import { type DayFileKind, dataTypeColumns } from '../../../src/day-files/data-types.js';
import type { Value } from './helpers.js';

const GRAMMAR: Readonly<Record<DayFileKind, RegExp>> = {
  text: /^[^\ufffd]*$/,
  time: /^-?\d+$/,
  boolean: /^(true|false)$/,
  number: /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/,
};

/** A reference parser for files without quotes; undefined for a file that must be refused. */
export function naiveRows(csv: Buffer, dataType: string): Value[][] | undefined {
  if (csv.length === 0) return [];
  const lines = csv.toString('utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  const [names = [], ...rows] = lines.map((line) => line.replace(/\r$/, '').split(','));
  const known = new Map(dataTypeColumns(dataType)?.map(({ name, kind }) => [name, kind]));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are searched for
  if (names.some((name) => name === '' || /[\u0000-\u001f\u007f\ufeff\ufffd]/.test(name))) return undefined;
  if (new Set(names).size < names.length) return undefined;
  if ([...known.keys()].some((name) => !names.includes(name))) return undefined;
  const result: Value[][] = [];
  for (const row of rows) {
    if (row.length !== names.length) return undefined;
    const values: Value[] = [];
    for (const [i, cell] of row.entries()) {
      const kind = known.get(names[i] ?? '') ?? 'text';
      const value = naiveValue(kind, cell);
      const needed = /^(exchange|symbol|(local_)?timestamp)$/.test(names[i] ?? '');
      if (value === undefined || (value === null && needed)) return undefined;
      values.push(value);
    }
    result.push(values);
  }
  return result;
}

function naiveValue(kind: DayFileKind, cell: string): Value | undefined {
  if (cell === '') return null;
  if (!GRAMMAR[kind].test(cell)) return undefined;
  if (kind === 'text') return cell;
  if (kind === 'boolean') return cell === 'true';
  const value = Number(cell);
  if (kind === 'time') return Number.isSafeInteger(value) ? value + 0 : undefined;
  return Number.isFinite(value) ? value : undefined;
}
