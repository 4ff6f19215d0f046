import { type Fields, fieldsOf, toRecord } from '../../manifest/manifest-line.js';
import type { ManifestRecord } from '../../types.js';

/** A record, and its place among those of the same path. */
export interface WrittenRecord {
  readonly record: ManifestRecord;
  /**
   * Milliseconds since the epoch by the clock of who wrote it, or more: always more than that of the record which it
   * takes the place of. A record's own time won't do: it is when the file was proven, and stays when it is forgotten.
   */
  readonly written: number;
}

/** The end of the year 9999. No clock says more, and the record after a greater one would need a number above it. */
const MAX_WRITTEN_MS = 253_402_300_799_999;

/** One line of JSON, without a line feed. */
export function formatSegmentLine({ record, written }: WrittenRecord): string {
  return JSON.stringify({ ...fieldsOf(record), written });
}

/** Reads a line back; undefined when it isn't a whole record. */
export function parseSegmentLine(line: string): WrittenRecord | undefined {
  try {
    const fields = JSON.parse(line) as Fields;
    const written = fields['written'];
    if (typeof written !== 'number' || !Number.isInteger(written)) return undefined;
    if (written < 0 || written > MAX_WRITTEN_MS) return undefined;
    return { record: toRecord(fields), written };
  } catch {
    return undefined;
  }
}

/** The first line of a base: names of the objects of its month that it stands for. */
export function formatBaseHead(names: readonly string[]): string {
  return JSON.stringify({ base: names });
}

/** Undefined for a line that is none. */
export function parseBaseHead(line: string): readonly string[] | undefined {
  try {
    const { base } = JSON.parse(line) as Fields;
    return Array.isArray(base) && base.every((name) => typeof name === 'string') ? base : undefined;
  } catch {
    return undefined;
  }
}
