import { LineStore } from '../../manifest/line-store.js';
import { isForgotten } from '../../manifest/manifest-scan.js';
import { isDayFilePath } from '../../paths.js';
import type { ManifestRecord } from '../../types.js';
import { parseSegmentLine, type WrittenRecord } from './segment-line.js';

/** What became of a line: it is the newest of its path, there is a newer one, or it is none that may be read. */
export type Verdict = 'newest' | 'older' | 'damaged' | 'outside';

/**
 * The newest record of each path, in whichever order they come: the one written last, and of two that were written at
 * the same time the one whose line is greater, so that all readers agree. What was forgotten stays, hidden, since a
 * segment that is read later may hold an older record of it.
 */
export class NewestLines {
  readonly #lines = new LineStore();
  readonly #forgotten = new Set<string>();
  readonly #onNewest: ((record: ManifestRecord) => void) | undefined;

  /** @param onNewest told of each record that took its place. */
  constructor(onNewest?: (record: ManifestRecord) => void) {
    this.#onNewest = onNewest;
  }

  /** How many paths are known, those not counted that were forgotten. */
  get size(): number {
    return this.#lines.size - this.#forgotten.size;
  }

  has(path: string): boolean {
    return this.#lines.has(path) && !this.#forgotten.has(path);
  }

  get(path: string): ManifestRecord | undefined {
    return this.#forgotten.has(path) ? undefined : this.#find(path)?.record;
  }

  /** When the newest record of a path was written, of a forgotten one too. */
  writtenAt(path: string): number | undefined {
    return this.#find(path)?.written;
  }

  *records(): Generator<ManifestRecord> {
    for (const line of this.#lines.values()) {
      const found = parseSegmentLine(line);
      if (found && !this.#forgotten.has(found.record.path)) yield found.record;
    }
  }

  /** One of each path, with those of forgotten ones. */
  lines(): IterableIterator<string> {
    return this.#lines.values();
  }

  /** Takes a line as it was read. */
  take(line: string): Verdict {
    const found = parseSegmentLine(line);
    if (!found) return 'damaged';
    return isDayFilePath(found.record.path) ? this.add(found, line) : 'outside';
  }

  /** @param line the same record as a line. */
  add({ record, written }: WrittenRecord, line: string): Verdict {
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
