import { Semaphore } from '../../../base/semaphore.js';
import type { ManifestScopes } from '../../manifest/manifest-scope.js';
import {
  isInScope,
  type ManifestLocation,
  type ObjectsByMonth,
  parseManifestKey,
  scopePrefixes,
} from './manifest-keys.js';

const CONCURRENT_LISTINGS = 8;

/** Lists the objects of a manifest that any of the scopes needs, by month, in the order of names. */
export async function listScopes(
  place: ManifestLocation,
  scope: ManifestScopes,
  signal: AbortSignal | undefined,
): Promise<ObjectsByMonth> {
  const scopes = [scope].flat();
  const months = await listPrefixes(place, removeCoveredPrefixes(scopes.flatMap(scopePrefixes)), signal);
  for (const month of months.keys())
    if (!scopes.some((scope) => isInScope(month, scope))) months.delete(month);
  return months;
}

/** Removes prefixes that another prefix covers, so that no object is listed twice. */
function removeCoveredPrefixes(prefixes: readonly string[]): readonly string[] {
  const result: string[] = [];
  // In sorted order, covered prefixes follow the prefix that covers them.
  for (const prefix of prefixes.toSorted()) {
    const last = result.at(-1);
    if (last === undefined || !prefix.startsWith(last)) result.push(prefix);
  }
  return result;
}

/** Lists the objects under some prefixes, by month. Months without objects are not included. */
export async function listPrefixes(
  { store, root }: ManifestLocation,
  prefixes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ObjectsByMonth> {
  const listings = new Semaphore(CONCURRENT_LISTINGS);
  const months: ObjectsByMonth = new Map();
  const listOne = async (prefix: string): Promise<ObjectsByMonth> => {
    const listed: ObjectsByMonth = new Map();
    for await (const page of store.list(`${root}${prefix}`, signal)) {
      for (const object of page) {
        const parts = parseManifestKey(object.key, root);
        if (!parts) continue;
        const objects = listed.get(parts.month) ?? [];
        objects.push({ ...object, name: parts.name });
        listed.set(parts.month, objects);
      }
    }
    return listed;
  };
  for (const listed of await Promise.all(prefixes.map((prefix) => listings.run(() => listOne(prefix)))))
    for (const [month, objects] of listed) months.set(month, objects);
  return months;
}
