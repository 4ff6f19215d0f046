import type { Files } from '../../src/store/files.js';
import { createLocationFiles } from '../../src/store/open-files.js';
import { createBucketFiles } from '../../src/store/s3/bucket-files.js';
import { MemoryBucket } from './memory-store.js';

export interface ObjectFiles extends Files {
  /** Contents of `s3://bucket/…`. */
  readonly bucket: MemoryBucket;
  /** Requests to the store: `get s3://bucket/key`, `head …`. */
  readonly asked: string[];
}

/** Objects in memory, and local files, for tests of code that accesses either. */
export function objectFiles(): ObjectFiles {
  const bucket = new MemoryBucket();
  const asked: string[] = [];
  const store = bucket.client(async ({ name, key }, moment) => {
    if (moment === 'before') asked.push(`${name} s3://bucket/${key}`);
  });
  const files = createLocationFiles(async () =>
    createBucketFiles({ bucket: () => store, close: store.close }),
  );
  return { ...files, bucket, asked };
}
