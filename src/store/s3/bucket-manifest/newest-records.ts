import { parseShallowJson } from '../../../base/json-depth.js';
import {
  isForgotten,
  type JsonFields,
  LineStore,
  parseManifestFields,
  toManifestFields,
} from '../../manifest/manifest-line.js';
import type { ManifestRecord } from '../../manifest-record.js';
import { isDayFilePath } from '../../paths.js';

/**
 * Result of adding a line: newest record of its path, older than a known one, not a record, or a path
 * outside.
 */
export type LineOutcome = 'newest' | 'older' | 'damaged' | 'outside';

/**
 * The newest record of each path, added in any order: the one written last and, of two written at the same
 * time, the one with the greater line, so that all readers agree. Forgotten paths are kept but hidden, since
 * a segment that is read later may contain an older record of them.
 */
export class NewestRecords {
  readonly #lines = new LineStore();
  readonly #forgotten = new Set<string>();
  readonly #onNewest: ((record: ManifestRecord) => void) | undefined;

  /** @param onNewest called for each record that is the newest when it is added. */
  constructor(onNewest?: (record: ManifestRecord) => void) {
    this.#onNewest = onNewest;
  }

  /** Number of paths, without forgotten ones. */
  get size(): number {
    return this.#lines.size - this.#forgotten.size;
  }

  has(path: string): boolean {
    return this.#lines.has(path) && !this.#forgotten.has(path);
  }

  get(path: string): ManifestRecord | undefined {
    return this.#forgotten.has(path) ? undefined : this.#find(path)?.record;
  }

  /** When the newest record of a path was written, even if it is forgotten. */
  writtenAt(path: string): number | undefined {
    return this.#find(path)?.written;
  }

  *records(): Generator<ManifestRecord> {
    for (const line of this.#lines.values()) {
      const parsed = parseSegmentLine(line);
      if (parsed && !this.#forgotten.has(parsed.record.path)) yield parsed.record;
    }
  }

  /** The newest line of each path, including forgotten paths. */
  lines(): IterableIterator<string> {
    return this.#lines.values();
  }

  /** Parses and adds a line. */
  addLine(line: string): LineOutcome {
    const parsed = parseSegmentLine(line);
    if (!parsed) return 'damaged';
    return isDayFilePath(parsed.record.path) ? this.add(parsed, line) : 'outside';
  }

  /** @param line the record as a line. */
  add({ record, written }: WrittenRecord, line: string): LineOutcome {
    const { path } = record;
    const known = this.#lines.get(path);
    if (known !== undefined) {
      const before = parseSegmentLine(known)?.written ?? 0;
      if (written < before || (written === before && line <= known)) return 'older';
    }
    this.#lines.set(path, line);
    if (isForgotten(record)) this.#forgotten.add(path);
    else this.#forgotten.delete(path);
    this.#onNewest?.(record);
    return 'newest';
  }

  #find(path: string): WrittenRecord | undefined {
    const line = this.#lines.get(path);
    return line === undefined ? undefined : parseSegmentLine(line);
  }
}

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
function parseSegmentLine(line: string): WrittenRecord | undefined {
  try {
    const fields = parseShallowJson(line) as JsonFields;
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
    const { base } = parseShallowJson(line) as JsonFields;
    return Array.isArray(base) && base.every((name) => typeof name === 'string') ? base : undefined;
  } catch {
    return undefined;
  }
}
