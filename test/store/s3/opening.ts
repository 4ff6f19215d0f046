import type { StoreSettings } from '../../../src/store/files.js';
import { bucketFor, type TestBucket } from '../../helpers/s3/bucket.js';
import { type Shim, shimFor } from '../../helpers/s3/shim.js';
import type { ContextWith } from '../../helpers/services.js';

export interface ReachableBucket {
  readonly bucket: TestBucket;
  readonly shim: Shim;
  /** Settings to reach the store through the shim. */
  readonly settings: StoreSettings;
}

/** Creates a bucket of a real store, with credentials in the environment of this process. */
export async function reachableBucket(
  t: ContextWith<'store'>,
  stallTimeoutMs = 30_000,
): Promise<ReachableBucket> {
  const bucket = await bucketFor(t);
  const shim = await shimFor(t, bucket.gateway.endpoint);
  const { AWS_ENDPOINT_URL_S3: endpoint, ...env } = bucket.env(shim.endpoint);
  Object.assign(process.env, env);
  return { bucket, shim, settings: { endpoint, pathStyle: true, stallTimeoutMs } };
}
