import type { StoreSettings } from '../files.js';
import { openBucket } from './bucket.js';
import type { ObjectStore } from './object-store.js';
import { PartBufferPool } from './part-buffer-pool.js';
import { openS3Connection, type S3Connection } from './s3-connection.js';

/** Buckets of one store, over the same connections. */
export interface BucketConnections {
  bucket(name: string): ObjectStore;
  close(): void;
}

/** Nothing is loaded before something is asked for, and nothing connected. */
export function openBucketConnections(settings: StoreSettings): BucketConnections {
  let connection: Promise<S3Connection> | undefined;
  const shelf = new PartBufferPool();
  const buckets = new Map<string, ObjectStore>();
  const close = (): void => {
    connection?.then(({ close }) => close()).catch(() => {});
  };
  return {
    bucket(name) {
      const connected = (): Promise<S3Connection> => {
        connection ??= openS3Connection(settings);
        return connection;
      };
      const bucket = buckets.get(name) ?? openBucket(name, { connect: connected, partBuffers: shelf, close });
      buckets.set(name, bucket);
      return bucket;
    },
    close,
  };
}
