import pLimit from 'p-limit';
import type { ManifestScopes } from '../../manifest/manifest-scope.js';
import {
  isInScope,
  type ManifestLocation,
  type ObjectsByMonth,
  parseManifestKey,
  scopePrefixes,
} from './manifest-keys.js';

const CONCURRENT_LISTINGS = 8;

/** The objects of a manifest that one of some scopes needs, by months, in the order of names. */
export async function listScopes(
  place: ManifestLocation,
  scope: ManifestScopes,
  signal: AbortSignal | undefined,
): Promise<ObjectsByMonth> {
  const scopes = [scope].flat();
  const found = await listPrefixes(place, removeCoveredPrefixes(scopes.flatMap(scopePrefixes)), signal);
  for (const month of found.keys()) if (!scopes.some((scope) => isInScope(month, scope))) found.delete(month);
  return found;
}

/** Without those that another one covers: each is listed by itself. */
function removeCoveredPrefixes(prefixes: readonly string[]): readonly string[] {
  const kept: string[] = [];
  // What begins with a text comes right after it.
  for (const prefix of prefixes.toSorted()) {
    const last = kept.at(-1);
    if (last === undefined || !prefix.startsWith(last)) kept.push(prefix);
  }
  return kept;
}

/** The objects of some months; one that has none is left out. */
export async function listPrefixes(
  { store, root }: ManifestLocation,
  prefixes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ObjectsByMonth> {
  const limit = pLimit(CONCURRENT_LISTINGS);
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
  for (const listed of await Promise.all(prefixes.map((prefix) => limit(listOne, prefix))))
    for (const [month, objects] of listed) months.set(month, objects);
  return months;
}
