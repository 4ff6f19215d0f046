import { LineStore } from '../../manifest/line-store.js';
import { isForgotten } from '../../manifest/manifest-line.js';
import type { ManifestRecord } from '../../manifest-record.js';
import { isDayFilePath } from '../../paths.js';
import { parseSegmentLine, type WrittenRecord } from './segment-line.js';

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
