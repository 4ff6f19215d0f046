import { type JsonFields, parseManifestFields, toManifestFields } from '../../manifest/manifest-line.js';
import type { ManifestRecord } from '../../manifest-record.js';

/** A record with its order among the records of the same path (docs/spec/s3-layout.md#segments). */
export interface WrittenRecord {
  readonly record: ManifestRecord;
  /**
   * Milliseconds since the epoch, by the writer's clock; increased if necessary, so that a record is always later than
   * the one it replaces. The record's `time` does not show this: it is the time of verification, which does not change
   * when the path is forgotten.
   */
  readonly written: number;
}

/**
 * The end of the year 9999. No clock exceeds it, and a greater value would leave no room for the next record.
 */
const MAX_WRITTEN_MS = 253_402_300_799_999;

/** Formats a record as one line of JSON, without a line feed. */
export function formatSegmentLine({ record, written }: WrittenRecord): string {
  return JSON.stringify({ ...toManifestFields(record), written });
}

/** Parses a line; undefined if it is not a complete record. */
export function parseSegmentLine(line: string): WrittenRecord | undefined {
  try {
    const fields = JSON.parse(line) as JsonFields;
    const written = fields['written'];
    if (typeof written !== 'number' || !Number.isInteger(written)) return undefined;
    if (written < 0 || written > MAX_WRITTEN_MS) return undefined;
    return { record: parseManifestFields(fields), written };
  } catch {
    return undefined;
  }
}

/** Formats the header of a base: the names of the objects that it replaces. */
export function formatBaseHeader(names: readonly string[]): string {
  return JSON.stringify({ base: names });
}

/** Parses the header of a base; undefined for any other line. */
export function parseBaseHeader(line: string): readonly string[] | undefined {
  try {
    const { base } = JSON.parse(line) as JsonFields;
    return Array.isArray(base) && base.every((name) => typeof name === 'string') ? base : undefined;
  } catch {
    return undefined;
  }
}
