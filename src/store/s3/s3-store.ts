import type { Store } from '../destination.js';
import { openBucketConnections } from './bucket.js';
import { parseBucketAddress } from './bucket-address.js';
import { createBucketDestination } from './bucket-destination.js';
import { createBucketFiles } from './bucket-files.js';

/** Stores that speak the S3 protocol: `s3://bucket/key`. */
export const S3_STORE: Store = {
  async openDestination(name, settings, signal) {
    const address = parseBucketAddress(name);
    const stores = openBucketConnections(settings);
    try {
      await stores.bucket(address.bucket).check(address.prefix, signal);
    } catch (error) {
      stores.close();
      throw error;
    }
    return createBucketDestination(address, stores, settings);
  },
  openFiles: (settings) => createBucketFiles(openBucketConnections(settings)),
};
