import { TickhaulError } from '../../../base/errors.js';
import { listPrefixes } from './list-months.js';
import type { ManifestPlace, Months } from './names.js';
import type { NewestLines } from './newest-lines.js';
import { readObjects } from './read-objects.js';
import { readHeads, type Standing, whatStands } from './standing.js';

/** Each more is a compaction that removed what was just listed. */
const MOST_ROUNDS = 10;

/**
 * Reads all records of some months. What is removed after it was listed has a base that stands for it, so the month is
 * listed again.
 * @param warn told of what is passed over.
 * @param read keys that are not read again; those that were read now are added, and those that these stand for.
 * @returns what stood in each month, as it was last listed.
 * @throws TickhaulError of the store; the reason of an abort.
 */
export async function readMonths(
  place: ManifestPlace,
  months: Months,
  into: NewestLines,
  warn: (message: string) => void,
  signal: AbortSignal | undefined,
  read: Set<string>,
): Promise<Map<string, Standing>> {
  const all = new Map<string, Standing>();
  let listed = months;
  for (let round = 0; listed.size > 0; round++) {
    if (round === MOST_ROUNDS) throw unsteady(place);
    const heads = await readHeads(place, [...listed.values()].flat(), signal);
    const wanted = [...listed].sort(byMonth).flatMap(([month, objects]) => {
      const standing = whatStands(objects, heads);
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

function unsteady({ store, root }: ManifestPlace): TickhaulError {
  return new TickhaulError(
    'bad_answer',
    `${store.name}/${root}: the store lists objects that it doesn't give; run the same command again`,
  );
}
