import type { Destination } from './destination.js';
import { DEFAULT_STORE_SETTINGS, type StoreSettings } from './files.js';
import { openFolderDestination } from './folder/folder-destination.js';
import { assertKnownScheme, isObjectLocation } from './location.js';

/**
 * Opens the download folder that the user named: a local folder, or a prefix of an object store.
 * @throws usage error for any other URL; for an object store, as `openBucketDestination`.
 */
export async function openDestination(
  name: string,
  settings: StoreSettings = DEFAULT_STORE_SETTINGS,
  signal?: AbortSignal,
): Promise<Destination> {
  assertKnownScheme(name);
  if (!isObjectLocation(name)) return openFolderDestination(name, settings);
  const { openBucketDestination } = await import('./s3/bucket-destination.js');
  return openBucketDestination(name, settings, signal);
}
