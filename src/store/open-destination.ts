import type { Destination } from './destination.js';
import { type StoreSettings, USUAL_STORE } from './files.js';
import { openFolder } from './folder/folder-destination.js';
import { isObject, refuseOtherSchemes } from './location.js';

/**
 * Opens what a user names as the download folder: a folder of this machine, or `s3://bucket/prefix`.
 * @throws usage error for any other address; of a store, what is wrong with it.
 */
export async function openDestination(
  name: string,
  settings: StoreSettings = USUAL_STORE,
  signal?: AbortSignal,
): Promise<Destination> {
  refuseOtherSchemes(name);
  if (!isObject(name)) return openFolder(name, settings);
  const { openBucketDestination } = await import('./s3/open.js');
  return openBucketDestination(name, settings, signal);
}
