import { listPrefixes } from './list-months.js';
import { findLiveObjects, type LiveObjects, readBaseHeaders } from './live-objects.js';
import { baseName, type ManifestLocation, type NamedObject } from './manifest-keys.js';
import { NewestRecords } from './newest-records.js';
import { readObjects } from './read-objects.js';
import { formatBaseHeader } from './segment-line.js';

/** Milliseconds by the store's clock for which a base stands beside what it stands for. */
const COVERED_RETENTION_MS = 3_600_000;
const MAX_LOOSE_SEGMENTS = 50;
/** For each, one segment more may be loose: a large base isn't written anew for every few. */
const BASE_BYTES_PER_SEGMENT = 1_000_000;
const LINES_PER_WRITE = 4096;

export interface CompactionInput {
  /** A name that no other run has. */
  readonly run: string;
  /** Milliseconds since the epoch by the clock of this machine: for a name alone. */
  readonly now: number;
  /** The same by the store's: for the age of its objects. */
  readonly storeNow: number;
  /** Segments above which a base is made, where there is none yet. */
  readonly mostLoose?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes one base of a month's segments where there are many, and removes what a base has stood for since an hour.
 * Whoever does the same at once, or is killed on the way, harms nothing:
 *
 * - A base stands for objects only by holding all that they hold, and appears in one step.
 * - It names what it was made of. A segment that comes beside it, or comes late, isn't named, and is read.
 * - What is removed is named by a base that was listed with it. Names are never used again.
 *
 * @param month as `monthPrefix` names it.
 */
export async function compactMonth(
  place: ManifestLocation,
  month: string,
  { run, now, storeNow, mostLoose, signal }: CompactionInput,
): Promise<void> {
  const objects = (await listPrefixes(place, [month], signal)).get(month) ?? [];
  const standing = findLiveObjects(objects, await readBaseHeaders(place, objects, signal));
  if (needsCompaction(standing, mostLoose)) {
    const name = baseName(
      now,
      run,
      objects.map((object) => object.name),
    );
    await writeBase(place, `${place.root}${month}${name}`, objects, standing, signal);
  }
  await place.store.remove(findRemovableKeys(standing, objects, storeNow), signal);
}

/** Whether a month is worth a new base. Two bases, of compactions that knew nothing of each other, are. */
export function needsCompaction(
  { loose, bases, baseBytes }: Pick<LiveObjects, 'loose' | 'bases' | 'baseBytes'>,
  mostLoose = MAX_LOOSE_SEGMENTS,
): boolean {
  return bases > 1 || loose > mostLoose + baseBytes / BASE_BYTES_PER_SEGMENT;
}

/** Keys of what a base has stood for long enough. */
function findRemovableKeys(
  { covered }: LiveObjects,
  objects: readonly NamedObject[],
  storeNow: number,
): string[] {
  return objects
    .filter(({ name }) => {
      const base = covered.get(name);
      return base !== undefined && base.modified + COVERED_RETENTION_MS <= storeNow;
    })
    .map(({ key }) => key);
}

/**
 * Writes what the needed objects hold, which is all that the listed ones do. Nothing is written where one of them was
 * removed meanwhile, as another compaction is under way, nor where one holds what can't be read here: a later version
 * may have written it, and reads it.
 */
async function writeBase(
  place: ManifestLocation,
  key: string,
  objects: readonly NamedObject[],
  { needed }: LiveObjects,
  signal: AbortSignal | undefined,
): Promise<void> {
  const newest = new NewestRecords();
  let isWhole = true;
  const onPassedOver = (): void => {
    isWhole = false;
  };
  const gone = await readObjects(place, needed, newest, onPassedOver, signal);
  if (gone.length > 0 || !isWhole) return;
  const upload = place.store.upload(key, undefined, signal);
  try {
    let batch: string[] = [formatBaseHeader(objects.map(({ name }) => name)), '\n'];
    for (const line of newest.lines()) {
      batch.push(line, '\n');
      if (batch.length < 2 * LINES_PER_WRITE) continue;
      await upload.write(Buffer.from(batch.join('')));
      batch = [];
    }
    await upload.write(Buffer.from(batch.join('')));
    await upload.complete();
  } finally {
    await upload.abort();
  }
}
