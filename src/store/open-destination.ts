import type { Destination } from './destination.js';
import { DEFAULT_STORE_SETTINGS, type StoreSettings } from './files.js';
import { openFolderDestination } from './folder/folder-destination.js';
import { assertKnownScheme, findStore } from './location.js';

/**
 * Opens the download folder that the user named: a local folder, or a prefix of a registered store.
 * @throws usage error for any other URL; for an object store, as `Store.openDestination`.
 */
export async function openDestination(
  name: string,
  settings: StoreSettings = DEFAULT_STORE_SETTINGS,
  signal?: AbortSignal,
): Promise<Destination> {
  assertKnownScheme(name);
  const store = await findStore(name)?.();
  return store ? store.openDestination(name, settings, signal) : openFolderDestination(name, settings);
}
