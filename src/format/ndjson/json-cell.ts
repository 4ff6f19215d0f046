import { isUtf8 } from 'node:buffer';
import type { Column } from '../../dataset/data-types.js';
import { isNeverEmpty } from '../../dataset/data-types.js';
import { parseBoolean, parseDecimal, parseTimeUs } from '../csv/parse-cell.js';
import { countEscapeBytes, writeEscaped } from './json-escape.js';

export interface CellOptions {
  /** `int`: integer microseconds; `iso`: ISO 8601 with six decimals, as a string. */
  readonly times: 'int' | 'iso';
  /** `double`: the CSV's digits as a JSON number; `string`: the exact text of the CSV as a JSON string. */
  readonly numbers: 'double' | 'string';
}

/** JSON text of a cell, or the problem with the cell, as the end of a sentence. */
export type JsonCell = { readonly json: Uint8Array } | { readonly problem: string };

/**
 * Formats any cell as JSON; used for cells in an unusual form. Numbers keep the CSV's digits, except leading
 * zeros, which JSON does not allow (RFC 8259, section 6): `007.50` becomes 7.50. An empty cell is null.
 * The forms of cells are those of docs/spec/ndjson-mapping.md#values.
 */
export function formatJsonCell(column: Column, cell: Buffer, options: CellOptions): JsonCell {
  if (cell.length === 0) {
    return isNeverEmpty(column) ? { problem: 'is empty, but a value is required' } : ascii('null');
  }
  switch (column.kind) {
    case 'text':
      return isUtf8(cell) ? { json: formatJsonText(cell) } : { problem: 'is not UTF-8 text' };
    case 'boolean': {
      const value = parseBoolean(cell, 0, cell.length);
      return typeof value === 'string' ? { problem: value } : ascii(value === 1 ? 'true' : 'false');
    }
    case 'integer': {
      const value = parseTimeUs(cell, 0, cell.length);
      return typeof value === 'string' ? { problem: value } : ascii(String(value));
    }
    case 'time': {
      const value = parseTimeUs(cell, 0, cell.length);
      if (typeof value === 'string') return { problem: value };
      return ascii(options.times === 'iso' ? `"${formatIsoTime(value)}"` : String(value));
    }
    case 'number': {
      const value = parseDecimal(cell, 0, cell.length);
      if (typeof value === 'string') return { problem: value };
      const digits = cell.toString('latin1');
      return ascii(options.numbers === 'string' ? `"${digits}"` : digits.replace(/^(-?)0+(?=\d)/, '$1'));
    }
  }
}

/**
 * Formats integer microseconds as ISO 8601 with six decimals, `2024-03-01T00:00:00.123456Z`. Times up to 2^53
 * - 1 in magnitude are in the years 1684 to 2255, so a year has four digits.
 */
export function formatIsoTime(micros: number): string {
  const millis = Math.floor(micros / 1000);
  const rest = String(micros - millis * 1000).padStart(3, '0');
  return `${new Date(millis).toISOString().slice(0, -1)}${rest}Z`;
}

function formatJsonText(text: Uint8Array): Uint8Array {
  const json = new Uint8Array(text.length + countEscapeBytes(text, 0, text.length) + 2).fill(0x22);
  writeEscaped(text, 0, text.length, json, 1);
  return json;
}

function ascii(text: string): JsonCell {
  return { json: Buffer.from(text, 'latin1') };
}
