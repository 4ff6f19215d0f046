import { TickhaulError } from '../../../base/errors.js';
import { listPrefixes } from './list-months.js';
import { findLiveObjects, type LiveObjects, readBaseHeaders } from './live-objects.js';
import type { ManifestLocation, ObjectsByMonth } from './manifest-keys.js';
import type { NewestRecords } from './newest-records.js';
import { readObjects } from './read-objects.js';

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
