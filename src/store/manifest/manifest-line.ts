import { formatDay, parseDay } from '../../dataset/day.js';
import type { ConversionEntry, ManifestRecord } from '../manifest-record.js';
import { isLayoutPath } from '../paths.js';

export type JsonFields = Readonly<Record<string, unknown>>;

/** Formats a record as one line of JSON, with its line feed (docs/spec/manifest.md#manifest-file). */
export function formatManifestLine(record: ManifestRecord): string {
  return `${JSON.stringify(toManifestFields(record))}\n`;
}

/** Converts a record to the fields of its line. */
export function toManifestFields({ file, ...rest }: ManifestRecord): JsonFields {
  const { exchange, dataType, symbol, day } = file;
  return { exchange, dataType, symbol, date: formatDay(day), ...rest };
}

/** Parses a line; undefined if it is not a complete record. */
export function parseManifestLine(line: string): ManifestRecord | undefined {
  try {
    return parseManifestFields(JSON.parse(line) as JsonFields);
  } catch {
    return undefined;
  }
}

/** Parses the fields of a line. @throws Error for a field that is missing or has the wrong type. */
export function parseManifestFields(fields: JsonFields): ManifestRecord {
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
  return value.map((fields: JsonFields) => {
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
  const fields = value as JsonFields;
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

function text(fields: JsonFields, key: string): string {
  const value = fields[key];
  if (typeof value !== 'string') throw new TypeError(key);
  return value;
}

function count(fields: JsonFields, key: string): number {
  const value = fields[key];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new TypeError(key);
  return value;
}
