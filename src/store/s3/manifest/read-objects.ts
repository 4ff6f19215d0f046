import { setMaxListeners } from 'node:events';
import { TickhaulError } from '../../../base/errors.js';
import { describeSkippedLines } from '../../manifest/manifest.js';
import { splitLines } from '../../manifest/split-lines.js';
import { isBase, type ManifestLocation, type NamedObject } from './manifest-keys.js';
import type { NewestRecords } from './newest-records.js';
import { prefetchObjects } from './prefetch-objects.js';
import { parseBaseHeader } from './segment-line.js';

/**
 * Reads the records of some objects, in the order in which they are given.
 * @param warn told what of an object is passed over.
 * @returns objects that were removed meanwhile.
 */
export async function readObjects<T extends NamedObject>(
  { store }: ManifestLocation,
  objects: readonly T[],
  into: NewestRecords,
  warn: (message: string) => void,
  signal: AbortSignal | undefined,
): Promise<readonly T[]> {
  const gone: T[] = [];
  const broken = new AbortController();
  const either = signal ? AbortSignal.any([signal, broken.signal]) : broken.signal;
  // Many requests go by it at once.
  setMaxListeners(0, either);
  const ahead = prefetchObjects(objects, (key) => store.getWhole(key, either));
  try {
    for (const object of objects) {
      const reading = new ObjectLineReader(object.name, into);
      const fetching = ahead.next(object);
      const chunks = fetching ? oneChunk(await fetching) : store.get(object.key, undefined, either);
      if (!(await readChunksInto(chunks, reading))) gone.push(object);
      for (const message of describeSkippedLines(reading.end(), `${store.name}/${object.key}`)) warn(message);
    }
  } finally {
    broken.abort();
  }
  return gone;
}

export function isMissing(error: unknown): boolean {
  return error instanceof TickhaulError && error.code === 'missing';
}

/** One object's lines on their way. */
class ObjectLineReader {
  readonly #isBase: boolean;
  readonly #into: NewestRecords;
  readonly #damaged: number[] = [];
  readonly #outside: number[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #lines = 0;

  constructor(name: string, into: NewestRecords) {
    this.#isBase = isBase(name);
    this.#into = into;
  }

  give(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = bytes.subarray(splitLines(bytes, this.#rest.length, (line) => this.#take(line)));
  }

  /** Objects are whole, so a last line without a line feed is one like the others. */
  end(): Parameters<typeof describeSkippedLines>[0] {
    if (this.#rest.length > 0) this.#take(this.#rest.toString('utf8'));
    return { damaged: this.#damaged, outside: this.#outside, hasPartialLine: false };
  }

  #take(line: string): void {
    this.#lines++;
    if (line === '' || (this.#isBase && this.#lines === 1 && parseBaseHeader(line))) return;
    const verdict = this.#into.take(line);
    if (verdict === 'damaged') this.#damaged.push(this.#lines);
    else if (verdict === 'outside') this.#outside.push(this.#lines);
  }
}

/** @returns false where the object isn't there. */
async function readChunksInto(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer> | undefined,
  reading: ObjectLineReader,
): Promise<boolean> {
  try {
    if (chunks === undefined) return false;
    for await (const chunk of chunks) reading.give(chunk);
    return true;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return false;
  }
}

function oneChunk(bytes: Buffer | undefined): readonly Buffer[] | undefined {
  return bytes && [bytes];
}
