import type { Destination } from '../destination.js';
import type { Files, StoreSettings } from '../files.js';
import { parseBucketAddress } from './bucket-address.js';
import { openBucketConnections } from './bucket-connections.js';
import { createBucketDestination } from './bucket-destination.js';
import { createBucketFiles } from './bucket-files.js';

/**
 * Opens `s3://bucket/prefix` and checks that it can be listed.
 * @throws usage error for an invalid address, a missing bucket, or a missing SDK; TickhaulError
 * `store_refused`, `store_down`; the abort reason.
 */
export async function openBucketDestination(
  address: string,
  settings: StoreSettings,
  signal?: AbortSignal,
): Promise<Destination> {
  const bucketAddress = parseBucketAddress(address);
  const stores = openBucketConnections(settings);
  try {
    await stores.bucket(bucketAddress.bucket).check(bucketAddress.prefix, signal);
  } catch (error) {
    stores.close();
    throw error;
  }
  return createBucketDestination(bucketAddress, stores, settings);
}

/** Accesses objects of any bucket by location. The store is not contacted before the first access. */
export function openBucketFiles(settings: StoreSettings): Files {
  return createBucketFiles(openBucketConnections(settings));
}
