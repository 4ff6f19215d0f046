import { TickhaulError } from '../../../base/errors.js';
import { listPrefixes } from './list-months.js';
import { findLiveObjects, type LiveObjects, readBaseHeaders } from './live-objects.js';
import type { ManifestLocation, ObjectsByMonth } from './manifest-keys.js';
import type { NewestRecords } from './newest-records.js';
import { readObjects } from './read-objects.js';

/** Each more is a compaction that removed what was just listed. */
const MAX_ROUNDS = 10;

/**
 * Reads all records of some months. What is removed after it was listed has a base that stands for it, so the month is
 * listed again.
 * @param warn told of what is passed over.
 * @param read keys that are not read again; those that were read now are added, and those that these stand for.
 * @returns what stood in each month, as it was last listed.
 * @throws TickhaulError of the store; the reason of an abort.
 */
export async function readMonths(
  place: ManifestLocation,
  months: ObjectsByMonth,
  into: NewestRecords,
  warn: (message: string) => void,
  signal: AbortSignal | undefined,
  read: Set<string>,
): Promise<Map<string, LiveObjects>> {
  const all = new Map<string, LiveObjects>();
  let listed = months;
  for (let round = 0; listed.size > 0; round++) {
    if (round === MAX_ROUNDS) throw createUnstableListingError(place);
    const heads = await readBaseHeaders(place, [...listed.values()].flat(), signal);
    const wanted = [...listed].sort(byMonth).flatMap(([month, objects]) => {
      const standing = findLiveObjects(objects, heads);
      all.set(month, standing);
      return standing.needed.filter(({ key }) => !read.has(key)).map((object) => ({ ...object, month }));
    });
    const gone = new Set(await readObjects(place, wanted, into, warn, signal));
    for (const object of wanted) if (!gone.has(object)) read.add(object.key);
    const again = [...new Set([...gone].map(({ month }) => month))];
    listed = await listPrefixes(place, again, signal);
  }
  for (const [month, { covered }] of all)
    for (const name of covered.keys()) read.add(`${place.root}${month}${name}`);
  return all;
}

/** Older months first, of all series: what they tell of days to come is read in the order of time. */
function byMonth([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  const [first, second] = [nameOf(a), nameOf(b)];
  if (first !== second) return first < second ? -1 : 1;
  return a < b ? -1 : 1;
}

function nameOf(month: string): string {
  return month.slice(month.lastIndexOf('/', month.length - 2));
}

function createUnstableListingError({ store, root }: ManifestLocation): TickhaulError {
  return new TickhaulError(
    'bad_answer',
    `${store.name}/${root}: the store lists objects that it doesn't give; run the same command again`,
  );
}
