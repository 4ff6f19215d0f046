import { usageError } from '../base/errors.js';
import type { Destination } from './destination.js';
import type { StoreSettings } from './files.js';
import { openFolder } from './folder/folder-destination.js';
import { isObject, refuseOtherSchemes } from './location.js';

/**
 * Opens what a user names as the download folder: a folder of this machine, or `s3://bucket/prefix`.
 * @throws usage error for any other address.
 */
export async function openDestination(name: string, settings: StoreSettings): Promise<Destination> {
  refuseOtherSchemes(name);
  if (isObject(name)) throw usageError('s3://… is not supported; name a folder of this machine');
  return openFolder(name, settings);
}
