import type { Destination } from '../destination.js';
import type { Files, StoreSettings } from '../files.js';
import { parseBucketAddress } from './bucket-address.js';
import { openBucketConnections } from './bucket-connections.js';
import { createBucketDestination } from './bucket-destination.js';
import { createBucketFiles } from './bucket-files.js';

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
  const place = parseBucketAddress(address);
  const stores = openBucketConnections(settings);
  try {
    await stores.bucket(place.bucket).check(place.prefix, signal);
  } catch (error) {
    stores.close();
    throw error;
  }
  return createBucketDestination(place, stores, settings);
}

/** Objects of any bucket by their locations; a store is reached when the first is asked for. */
export function openBucketFiles(settings: StoreSettings): Files {
  return createBucketFiles(openBucketConnections(settings));
}
