import { setMaxListeners } from 'node:events';
import { TickhaulError } from '../../../base/errors.js';
import { collectBytes } from '../../../base/memory.js';
import { Semaphore } from '../../../base/semaphore.js';
import { undefinedIfMissing } from '../../files.js';
import { describeSkippedLines, LineReader } from '../../manifest/manifest-line.js';
import type { StoredObject } from '../object-store.js';
import {
  isBase,
  listPrefixes,
  type ManifestLocation,
  type NamedObject,
  type ObjectsByMonth,
} from './manifest-objects.js';
import { type NewestRecords, parseBaseHeader } from './newest-records.js';

/** Each further round is due to a compaction that removed listed objects. */
const MAX_ROUNDS = 10;

/**
 * Reads all records of some months. If a listed object has been removed, a base replaces it, so its month is
 * listed again.
 * @param warn receives messages about skipped lines.
 * @param readKeys keys that are not read again. Keys that are read now, and keys replaced by a base, are
 * added.
 * @returns the live objects of each month, by the last listing.
 * @throws TickhaulError of the store; the abort reason.
 */
export async function readMonths(
  place: ManifestLocation,
  months: ObjectsByMonth,
  into: NewestRecords,
  warn: (message: string) => void,
  signal: AbortSignal | undefined,
  readKeys: Set<string>,
): Promise<Map<string, LiveObjects>> {
  const all = new Map<string, LiveObjects>();
  let listed = months;
  for (let round = 0; listed.size > 0; round++) {
    if (round === MAX_ROUNDS) throw createUnstableListingError(place);
    const headers = await readBaseHeaders(place, [...listed.values()].flat(), signal);
    const unread = [...listed].sort(compareMonths).flatMap(([month, objects]) => {
      const live = findLiveObjects(objects, headers);
      all.set(month, live);
      return live.needed.filter(({ key }) => !readKeys.has(key)).map((object) => ({ ...object, month }));
    });
    const removed = new Set(await readObjects(place, unread, into, warn, signal));
    for (const object of unread) if (!removed.has(object)) readKeys.add(object.key);
    const again = [...new Set([...removed].map(({ month }) => month))];
    listed = await listPrefixes(place, again, signal);
  }
  for (const [month, { covered }] of all)
    for (const name of covered.keys()) readKeys.add(`${place.root}${month}${name}`);
  return all;
}

/** Sorts older months first, over all series: the download history needs records in the order of time. */
function compareMonths([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  const [first, second] = [lastSegment(a), lastSegment(b)];
  if (first !== second) return first < second ? -1 : 1;
  return a < b ? -1 : 1;
}

function lastSegment(month: string): string {
  return month.slice(month.lastIndexOf('/', month.length - 2));
}

function createUnstableListingError({ store, root }: ManifestLocation): TickhaulError {
  return new TickhaulError(
    'bad_answer',
    `${store.name}/${root}: the store lists objects that it does not return; run the same command again`,
  );
}

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
type BaseHeaders = ReadonlyMap<string, readonly string[]>;

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
    const start = collectBytes(store.get(key, { end: Math.min(end, bytes) }, signal));
    const read = (await undefinedIfMissing(start)) ?? Buffer.alloc(0);
    const lineEnd = read.indexOf('\n');
    if (lineEnd !== -1) return parseBaseHeader(read.toString('utf8', 0, lineEnd)) ?? [];
    if (end >= bytes) break;
  }
  return [];
}

/**
 * Reads the records of some objects, in the given order.
 * @param warn receives messages about skipped lines.
 * @returns objects that have been removed meanwhile.
 */
export async function readObjects<T extends NamedObject>(
  { store }: ManifestLocation,
  objects: readonly T[],
  into: NewestRecords,
  warn: (message: string) => void,
  signal: AbortSignal | undefined,
): Promise<readonly T[]> {
  const removed: T[] = [];
  const done = new AbortController();
  const eitherSignal = signal ? AbortSignal.any([signal, done.signal]) : done.signal;
  // Many concurrent requests listen to this signal.
  setMaxListeners(0, eitherSignal);
  const fetchNext = prefetchObjects(objects, (key) => store.getWhole(key, eitherSignal));
  try {
    for (const object of objects) {
      const hasHeader = isBase(object.name);
      const reader = new LineReader((line, number) =>
        hasHeader && number === 1 && parseBaseHeader(line) ? undefined : into.addLine(line),
      );
      const fetching = fetchNext(object);
      const chunks = fetching ? [await fetching] : store.get(object.key, undefined, eitherSignal);
      if (!(await undefinedIfMissing(addChunks(chunks, reader)))) removed.push(object);
      reader.end();
      for (const message of describeSkippedLines(reader.skipped, `${store.name}/${object.key}`))
        warn(message);
    }
  } finally {
    done.abort();
  }
  return removed;
}

/** @returns false if the object does not exist. */
async function addChunks(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer | undefined>,
  reader: LineReader,
): Promise<boolean> {
  for await (const chunk of chunks) {
    if (!chunk) return false;
    reader.addChunk(chunk);
  }
  return true;
}

const MAX_OBJECTS_AHEAD = 16;
/** Limit of prefetched bytes. A larger object is not prefetched. */
const MAX_BYTES_AHEAD = 32 * 1024 * 1024;

/**
 * Fetches small objects ahead of their use.
 * @returns to be called for each object, in order. It returns the bytes, or undefined if the object no longer
 * exists; undefined without a promise if the object is too large.
 */
function prefetchObjects(
  objects: readonly StoredObject[],
  fetch: (key: string) => Promise<Buffer | undefined>,
): (object: StoredObject) => Promise<Buffer | undefined> | undefined {
  const fetches = new Map<StoredObject, Promise<Buffer | undefined>>();
  let at = 0;
  let bytes = 0;
  const startMore = (): void => {
    for (let next = objects[at]; next && fetches.size < MAX_OBJECTS_AHEAD; next = objects[at]) {
      const isLarge = next.bytes > MAX_BYTES_AHEAD;
      if (!isLarge && bytes + next.bytes > MAX_BYTES_AHEAD) break;
      at++;
      if (isLarge) continue;
      const fetching = fetch(next.key);
      // It is never awaited if an earlier object fails.
      fetching.catch(() => undefined);
      fetches.set(next, fetching);
      bytes += next.bytes;
    }
  };
  return (object) => {
    startMore();
    const fetching = fetches.get(object);
    if (fetches.delete(object)) bytes -= object.bytes;
    return fetching;
  };
}
