import pLimit from 'p-limit';
import type { ManifestScopes } from '../../manifest/scope.js';
import { isInScope, type ManifestPlace, type Months, prefixesOf, splitKey } from './names.js';

const LISTS_AT_ONCE = 8;

/** The objects of a manifest that one of some scopes needs, by months, in the order of names. */
export async function listScopes(
  place: ManifestPlace,
  scope: ManifestScopes,
  signal: AbortSignal | undefined,
): Promise<Months> {
  const scopes = [scope].flat();
  const found = await listPrefixes(place, outermost(scopes.flatMap(prefixesOf)), signal);
  for (const month of found.keys()) if (!scopes.some((scope) => isInScope(month, scope))) found.delete(month);
  return found;
}

/** Without those that another one covers: each is listed by itself. */
function outermost(prefixes: readonly string[]): readonly string[] {
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
  { store, root }: ManifestPlace,
  prefixes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Months> {
  const limit = pLimit(LISTS_AT_ONCE);
  const months: Months = new Map();
  const listOne = async (prefix: string): Promise<Months> => {
    const listed: Months = new Map();
    for await (const page of store.list(`${root}${prefix}`, signal)) {
      for (const object of page) {
        const parts = splitKey(object.key, root);
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
