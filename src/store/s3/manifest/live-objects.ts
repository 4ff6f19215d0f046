import { collectBytes } from '../../../base/collect-bytes.js';
import { Semaphore } from '../../../base/semaphore.js';
import { splitLines } from '../../manifest/split-lines.js';
import type { ObjectStore } from '../object-store.js';
import { isBase, type ManifestLocation, type NamedObject } from './manifest-keys.js';
import { isMissing } from './read-objects.js';
import { parseBaseHeader } from './segment-line.js';

/** The objects of a month that have to be read. */
export interface LiveObjects {
  /** Objects that no base replaces. Bases come first, since they contain older records. */
  readonly needed: readonly NamedObject[];
  /** The base that replaces an object, by the object's name; the oldest of several. */
  readonly covered: ReadonlyMap<string, NamedObject>;
  /** Number of needed segments and bases, and the total size of these bases. */
  readonly loose: number;
  readonly bases: number;
  readonly baseBytes: number;
}

/** The object names in the header of each base, by the base's key. */
export type BaseHeaders = ReadonlyMap<string, readonly string[]>;

const CONCURRENT_HEADER_READS = 16;
/** Usually enough for the header of a base. */
const HEADER_READ_BYTES = 16_384;

/** Reads the headers of all bases among the objects. */
export async function readBaseHeaders(
  place: ManifestLocation,
  objects: Iterable<NamedObject>,
  signal: AbortSignal | undefined,
): Promise<BaseHeaders> {
  const reads = new Semaphore(CONCURRENT_HEADER_READS);
  const bases = [...objects].filter(({ name }) => isBase(name));
  const heads = await Promise.all(bases.map((base) => reads.run(() => readBaseHeader(place, base, signal))));
  return new Map(bases.map(({ key }, at) => [key, heads[at] ?? []]));
}

/** @param objects of one month, in the order of names. */
export function findLiveObjects(objects: readonly NamedObject[], headers: BaseHeaders): LiveObjects {
  const covered = new Map<string, NamedObject>();
  for (const base of objects.filter(({ name }) => isBase(name))) {
    // Ignore a base's own name, and those of later bases: both objects would be hidden.
    for (const name of headers.get(base.key) ?? [])
      if (name < base.name && !covered.has(name)) covered.set(name, base);
  }
  const needed = objects
    .filter(({ name }) => !covered.has(name))
    .sort((a, b) => Number(isBase(b.name)) - Number(isBase(a.name)));
  const bases = needed.filter(({ name }) => isBase(name));
  const baseBytes = bases.reduce((sum, { bytes }) => sum + bytes, 0);
  return { needed, covered, loose: needed.length - bases.length, bases: bases.length, baseBytes };
}

/** Returns no names if the base has no valid header or was removed meanwhile: it then replaces nothing. */
async function readBaseHeader(
  { store }: ManifestLocation,
  { key, bytes }: NamedObject,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  for (let end = HEADER_READ_BYTES; bytes > 0; end *= 8) {
    const read = await readStart(store, key, Math.min(end, bytes), signal);
    let header: string | undefined;
    splitLines(read, 0, (line) => {
      header ??= line;
    });
    if (header !== undefined) return parseBaseHeader(header) ?? [];
    if (end >= bytes) break;
  }
  return [];
}

async function readStart(
  store: ObjectStore,
  key: string,
  end: number,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  try {
    return await collectBytes(store.get(key, { end }, signal));
  } catch (error) {
    if (!isMissing(error)) throw error;
    return Buffer.alloc(0);
  }
}
