import pLimit from 'p-limit';
import type { ManifestScope } from '../../manifest/scope.js';
import { isInScope, type ManifestPlace, type Months, prefixesOf, splitKey } from './names.js';

const LISTS_AT_ONCE = 8;

/** The objects of a manifest that a scope needs, in the order of months and names. */
export async function listScope(
  place: ManifestPlace,
  scope: ManifestScope,
  signal: AbortSignal | undefined,
): Promise<Months> {
  const found = await listPrefixes(place, prefixesOf(scope), signal);
  for (const month of found.keys()) if (!isInScope(month, scope)) found.delete(month);
  return found;
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
