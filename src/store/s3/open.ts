import type { Destination } from '../destination.js';
import type { Files, StoreSettings } from '../files.js';
import { parseAddress } from './address.js';
import { bucketDestination } from './bucket-destination.js';
import { bucketFiles } from './bucket-files.js';
import { openStores } from './stores.js';

/**
 * Opens `s3://bucket/prefix`, and looks whether it may be listed.
 * @throws usage error for an address that is none, no such bucket, or where the SDK isn't installed; TickhaulError
 * `store_refused`, `store_down`; the reason of an abort.
 */
export async function openBucketDestination(
  address: string,
  settings: StoreSettings,
  signal?: AbortSignal,
): Promise<Destination> {
  const place = parseAddress(address);
  const stores = openStores(settings);
  try {
    await stores.bucket(place.bucket).check(place.prefix, signal);
  } catch (error) {
    stores.close();
    throw error;
  }
  return bucketDestination(place, stores, settings);
}

/** Objects of any bucket by their locations; a store is reached when the first is asked for. */
export function openBucketFiles(settings: StoreSettings): Files {
  return bucketFiles(openStores(settings));
}
