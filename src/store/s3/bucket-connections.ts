import type { StoreSettings } from '../files.js';
import { openBucket } from './bucket.js';
import type { ObjectStore } from './object-store.js';
import { PartBufferPool } from './part-buffer-pool.js';
import { openS3Connection, type S3Connection } from './s3-connection.js';

/** Buckets of one store, which share connections. */
export interface BucketConnections {
  bucket(name: string): ObjectStore;
  close(): void;
}

/** Loads the SDK and connects only when a bucket is used. */
export function openBucketConnections(settings: StoreSettings): BucketConnections {
  let connection: Promise<S3Connection> | undefined;
  const partBuffers = new PartBufferPool();
  const buckets = new Map<string, ObjectStore>();
  const close = (): void => {
    connection?.then(({ close }) => close()).catch(() => {});
  };
  return {
    bucket(name) {
      const connect = (): Promise<S3Connection> => {
        connection ??= openS3Connection(settings);
        return connection;
      };
      const bucket = buckets.get(name) ?? openBucket(name, { connect, partBuffers, close });
      buckets.set(name, bucket);
      return bucket;
    },
    close,
  };
}
