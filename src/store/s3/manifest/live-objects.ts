import pLimit from 'p-limit';
import { collectBytes } from '../../../base/collect-bytes.js';
import { splitLines } from '../../manifest/split-lines.js';
import type { ObjectStore } from '../object-store.js';
import { isBase, type ManifestLocation, type NamedObject } from './manifest-keys.js';
import { isMissing } from './read-objects.js';
import { parseBaseHeader } from './segment-line.js';

/** Which objects of a month have to be read. */
export interface LiveObjects {
  /** Those that nothing stands for: bases first by their names' order, as they hold what is older. */
  readonly needed: readonly NamedObject[];
  /** By name, the base that stands for an object: the oldest of several. */
  readonly covered: ReadonlyMap<string, NamedObject>;
  /** How many of those needed are segments, how many are bases, and the bytes of these. */
  readonly loose: number;
  readonly bases: number;
  readonly baseBytes: number;
}

/** What bases name in their first lines, by the bases' keys. */
export type BaseHeaders = ReadonlyMap<string, readonly string[]>;

const CONCURRENT_HEADER_READS = 16;
/** Mostly enough for the first line of a base, in bytes. */
const HEADER_READ_BYTES = 16_384;

/** Reads the first lines of the bases among some objects. */
export async function readBaseHeaders(
  place: ManifestLocation,
  objects: Iterable<NamedObject>,
  signal: AbortSignal | undefined,
): Promise<BaseHeaders> {
  const limit = pLimit(CONCURRENT_HEADER_READS);
  const bases = [...objects].filter(({ name }) => isBase(name));
  const heads = await Promise.all(bases.map((base) => limit(readBaseHeader, place, base, signal)));
  return new Map(bases.map(({ key }, at) => [key, heads[at] ?? []]));
}

/** @param objects of one month, in the order of names. */
export function findLiveObjects(objects: readonly NamedObject[], heads: BaseHeaders): LiveObjects {
  const covered = new Map<string, NamedObject>();
  for (const base of objects.filter(({ name }) => isBase(name))) {
    // A base that named itself, or a later one, would hide both.
    for (const name of heads.get(base.key) ?? [])
      if (name < base.name && !covered.has(name)) covered.set(name, base);
  }
  const needed = objects
    .filter(({ name }) => !covered.has(name))
    .sort((a, b) => Number(isBase(b.name)) - Number(isBase(a.name)));
  const bases = needed.filter(({ name }) => isBase(name));
  const baseBytes = bases.reduce((sum, { bytes }) => sum + bytes, 0);
  return { needed, covered, loose: needed.length - bases.length, bases: bases.length, baseBytes };
}

/** None for a base whose first line is no head, or that was removed meanwhile: it stands for nothing. */
async function readBaseHeader(
  { store }: ManifestLocation,
  { key, bytes }: NamedObject,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  for (let end = HEADER_READ_BYTES; bytes > 0; end *= 8) {
    const read = await readStart(store, key, Math.min(end, bytes), signal);
    let head: string | undefined;
    splitLines(read, 0, (line) => {
      head ??= line;
    });
    if (head !== undefined) return parseBaseHeader(head) ?? [];
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
