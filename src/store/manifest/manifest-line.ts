import { formatDay, parseDay } from '../../dataset/day.js';
import { isLayoutPath } from '../paths.js';
import type { ConversionEntry, ManifestRecord } from '../types.js';

export type Fields = Readonly<Record<string, unknown>>;

/** The record as one line of JSON, with its line feed. */
export function formatLine(record: ManifestRecord): string {
  return `${JSON.stringify(fieldsOf(record))}\n`;
}

/** The record as a line has it. */
export function fieldsOf({ file, ...rest }: ManifestRecord): Fields {
  const { exchange, dataType, symbol, day } = file;
  return { exchange, dataType, symbol, date: formatDay(day), ...rest };
}

/** Reads a line back; undefined when it isn't a whole record. */
export function parseLine(line: string): ManifestRecord | undefined {
  try {
    return toRecord(JSON.parse(line) as Fields);
  } catch {
    return undefined;
  }
}

/** Reads a line's fields back. @throws Error for a field that is missing or of the wrong kind. */
export function toRecord(fields: Fields): ManifestRecord {
  const md5Match = fields['md5Match'];
  if (md5Match !== null && typeof md5Match !== 'boolean') throw new TypeError('md5Match');
  return {
    file: {
      exchange: text(fields, 'exchange'),
      dataType: text(fields, 'dataType'),
      symbol: text(fields, 'symbol'),
      day: parseDay(text(fields, 'date')),
    },
    path: text(fields, 'path'),
    bytes: count(fields, 'bytes'),
    md5: text(fields, 'md5'),
    sha256: text(fields, 'sha256'),
    md5Match,
    rows: count(fields, 'rows'),
    ...(fields['etag'] === undefined ? {} : { etag: text(fields, 'etag') }),
    time: text(fields, 'time'),
    version: text(fields, 'version'),
    ...(fields['conversions'] === undefined ? {} : { conversions: conversions(fields['conversions']) }),
    ...object(fields['object']),
    ...(fields['dropped'] === true ? { dropped: true } : {}),
  };
}

function conversions(value: unknown): readonly ConversionEntry[] {
  if (!Array.isArray(value)) throw new TypeError('conversions');
  return value.map((fields: Fields) => {
    const path = text(fields, 'path');
    if (!isLayoutPath(path)) throw new RangeError(path);
    return {
      path,
      bytes: count(fields, 'bytes'),
      sha256: text(fields, 'sha256'),
      rows: count(fields, 'rows'),
      ...(fields['computed'] === undefined ? {} : { computed: text(fields, 'computed') }),
      options: options(fields['options']),
      ...(fields['version'] === undefined ? {} : { version: text(fields, 'version') }),
      ...object(fields['object']),
    };
  });
}

function object(value: unknown): Pick<ManifestRecord, 'object'> {
  if (value === undefined) return {};
  const fields = value as Fields;
  const partSize = fields['partSize'] === undefined ? {} : { partSize: count(fields, 'partSize') };
  return { object: { etag: text(fields, 'etag'), ...partSize } };
}

function options(value: unknown): ConversionEntry['options'] {
  const isPlain = (item: unknown): boolean => typeof item === 'string' || typeof item === 'number';
  if (typeof value !== 'object' || value === null || !Object.values(value).every(isPlain)) {
    throw new TypeError('options');
  }
  return value as ConversionEntry['options'];
}

function text(fields: Fields, key: string): string {
  const value = fields[key];
  if (typeof value !== 'string') throw new TypeError(key);
  return value;
}

function count(fields: Fields, key: string): number {
  const value = fields[key];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new TypeError(key);
  return value;
}
