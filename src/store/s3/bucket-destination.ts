import { usageError } from '../../base/errors.js';
import { STATE_FOLDER } from '../../dataset/file-names.js';
import type { Destination } from '../destination.js';
import type { StoreSettings } from '../files.js';
import type { LockOwner } from '../lock/run-lock.js';
import type { TakeLockOptions } from '../lock/take-lock.js';
import { isInside } from '../paths.js';
import type { BucketAddress } from './address.js';
import { bucketFiles } from './bucket-files.js';
import { DataPrefix } from './data-prefix.js';
import { inFarewell } from './farewell.js';
import { type Lease, takeLease } from './lease.js';
import { openStoreManifest } from './manifest/open-manifest.js';
import { UPLOAD_BYTES } from './part-size.js';
import type { Stores } from './stores.js';
import { surveyBucket } from './survey.js';

/** A prefix of a bucket. */
export function bucketDestination(
  address: BucketAddress,
  stores: Stores,
  settings: StoreSettings,
): Destination {
  const { bucket, prefix, name } = address;
  const store = stores.bucket(bucket);
  const files = bucketFiles(stores);
  const data = new DataPrefix(store, address);
  const stateKey = (state: string): string => `${prefix}${STATE_FOLDER}/${state}`;
  const begin = async (
    owner: LockOwner,
    exclusive: boolean,
    options: TakeLockOptions = {},
  ): Promise<Lease> => {
    const lease = await takeLease(store, prefix, owner, { ...options, exclusive });
    if (!options.leavesUploads) await data.endOldUploads(lease.taken, options.signal);
    return lease;
  };
  return {
    kind: 's3',
    name,
    locate(path) {
      if (path === '') return name;
      if (isInside(path)) return `s3://${bucket}/${prefix}${path}`;
      throw usageError(`"${path}" is no path under ${name}`);
    },
    files,
    settings,
    partBytes: UPLOAD_BYTES,
    survey: async (prefixesOf = () => [''], signal) => surveyBucket(data, prefixesOf(), signal),
    async *list(under, signal) {
      const path = under.replace(/\/+$/, '');
      const itself = path === '' ? undefined : await files.look(`s3://${bucket}/${prefix}${path}`, signal);
      if (itself) yield [{ path, ...itself }];
      yield* data.list(path === '' ? '' : `${path}/`, signal);
    },
    openManifest: (options, scope) => openStoreManifest(store, prefix, options, scope),
    takeLock: (owner, options) => begin(owner, true, options),
    async joinRun(owner, options) {
      const { lost, release } = await begin(owner, false, options);
      return { partSuffix: undefined, lost, release };
    },
    readState: async (state, signal) => (await store.getWhole(stateKey(state), signal))?.toString('utf8'),
    async writeState(state, text, signal) {
      const key = stateKey(state);
      const put = (until?: AbortSignal) => store.put(key, Buffer.from(text), until);
      await (signal?.aborted ? inFarewell(`${store.name}/${key}`, put) : put(signal));
    },
    uploads: data.uploads,
    freeBytes: async () => undefined,
    close: () => files.close(),
  };
}
