import { usageError } from '../../base/errors.js';
import { OUTPUT_EXTENSIONS } from '../../base/output-format-names.js';
import { Semaphore } from '../../base/semaphore.js';
import { STATE_FOLDER } from '../../day-files/day-file.js';
import type { Destination, FileLookup, ListedEntry } from '../destination.js';
import type { StoredFileInfo, StoreSettings } from '../files.js';
import type { AcquireLockOptions, LockOwner } from '../lock/run-lock.js';
import { LineStore } from '../manifest/manifest-line.js';
import { isDataPath, isInside } from '../paths.js';
import { type BucketConnections, openBucketConnections } from './bucket.js';
import { type BucketAddress, createBucketFiles, parseBucketAddress } from './bucket-files.js';
import { openStoreManifest } from './bucket-manifest/store-manifest.js';
import { acquireLease, type StoreLease } from './lease.js';
import { UPLOAD_MEMORY_BYTES } from './multipart-upload.js';
import { type ObjectStore, type UnfinishedUpload, withShutdownTimeout } from './object-store.js';

/**
 * Opens the prefix that the user named, and checks that it can be listed.
 * @throws usage error for an invalid or missing location; TickhaulError `store_refused`, `store_down`; the abort reason.
 */
export async function openBucketDestination(
  name: string,
  settings: StoreSettings,
  signal?: AbortSignal,
): Promise<Destination> {
  const address = parseBucketAddress(name);
  const stores = openBucketConnections(settings);
  try {
    await stores.bucket(address.bucket).check(address.prefix, signal);
  } catch (error) {
    stores.close();
    throw error;
  }
  return createBucketDestination(address, stores, settings);
}

/** Creates a destination for a prefix of a bucket. */
export function createBucketDestination(
  address: BucketAddress,
  stores: BucketConnections,
  settings: StoreSettings,
): Destination {
  const { bucket, prefix, name } = address;
  const store = stores.bucket(bucket);
  const files = createBucketFiles(stores);
  const stateKey = (state: string): string => `${prefix}${STATE_FOLDER}/${state}`;
  const acquire = async (
    owner: LockOwner,
    exclusive: boolean,
    options: AcquireLockOptions = {},
  ): Promise<StoreLease> => {
    const lease = await acquireLease(store, prefix, owner, { ...options, exclusive });
    await abortOldUploads(store, prefix, lease.acquiredMs, options.signal);
    return lease;
  };
  return {
    hasLocalPaths: false,
    uploadMemoryBytes: UPLOAD_MEMORY_BYTES,
    name,
    locate(path) {
      if (path === '') return name;
      if (isInside(path)) return `s3://${bucket}/${prefix}${path}`;
      throw usageError(`"${path}" is not a path under ${name}`);
    },
    files,
    settings,
    openLookup: async (getPrefixes = () => [''], signal) =>
      openPrefixLookup(store, prefix, getPrefixes(), signal),
    async *list(under, signal) {
      const path = under.replace(/\/+$/, '');
      const object = path === '' ? undefined : await files.stat(`s3://${bucket}/${prefix}${path}`, signal);
      if (object) yield [{ path, ...object }];
      yield* listData(store, prefix, path === '' ? '' : `${path}/`, signal);
    },
    findDayPart: async () => undefined,
    async removeDayPart() {},
    async openDayPart(path, { total, signal }) {
      const part = await files.openPart(`s3://${bucket}/${prefix}${path}`, undefined, signal, total);
      return {
        async *kept() {},
        write: part.write,
        publish: () => part.publish(),
        close: () => part.discard(),
      };
    },
    openManifest: (options, scope) => openStoreManifest(store, prefix, options, scope),
    async readRecords(options) {
      const manifest = await openStoreManifest(store, prefix, options);
      return manifest.size === 0 ? undefined : manifest.records();
    },
    acquireLock: (owner, options) => acquire(owner, true, options),
    async joinRun(owner, options) {
      const { lost, release } = await acquire(owner, false, options);
      return { partSuffix: undefined, lost, release };
    },
    readState: async (state, signal) => (await store.getWhole(stateKey(state), signal))?.toString('utf8'),
    async writeState(state, text, signal) {
      const key = stateKey(state);
      const put = (putSignal?: AbortSignal) => store.put(key, Buffer.from(text), putSignal);
      await (signal?.aborted ? withShutdownTimeout(`${store.name}/${key}`, put) : put(signal));
    },
    async updateState(state, update, signal) {
      const key = stateKey(state);
      const replace = (updateSignal?: AbortSignal) => updateObject(store, key, update, updateSignal);
      await (signal?.aborted ? withShutdownTimeout(`${store.name}/${key}`, replace) : replace(signal));
    },
    freeBytes: async () => undefined,
    close: () => files.close(),
  };
}

/** Lists the files of a destination, without tickhaul's state. @param start of their paths. */
async function* listData(
  store: ObjectStore,
  prefix: string,
  start: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly (ListedEntry & StoredFileInfo)[], void> {
  for await (const page of store.list(prefix + start, signal)) {
    const files = page.flatMap(({ key, bytes, etag, modified }) => {
      const path = key.slice(prefix.length);
      return isDataPath(path) ? [{ path, bytes, etag, modified }] : [];
    });
    if (files.length > 0) yield files;
  }
}

const CONCURRENT_LISTINGS = 8;

/** Lists all files whose paths have one of the starts, so that lookups are answered from memory. */
async function openPrefixLookup(
  store: ObjectStore,
  prefix: string,
  starts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<FileLookup> {
  // There may be millions, so store them as lines outside the heap.
  const linesByPath = new LineStore();
  const listings = new Semaphore(CONCURRENT_LISTINGS);
  const listOne = async (start: string): Promise<void> => {
    for await (const page of listData(store, prefix, start, signal))
      for (const { path, bytes, etag } of page) linesByPath.set(path, `${bytes} ${etag}`);
  };
  await Promise.all(starts.map((start) => listings.run(() => listOne(start))));
  return {
    has: (path) => linesByPath.has(path),
    get(path) {
      const line = linesByPath.get(path);
      if (line === undefined) return undefined;
      const [bytes, etag] = line.split(' ', 2);
      return { bytes: Number(bytes), etag };
    },
  };
}

/** Extensions of exports that conversions do not have. */
const EXPORT_EXTENSIONS = ['npz', 'feather'];
/** Extensions of files that tickhaul uploads: other programs may have uploads under the same prefix. */
const UPLOAD_EXTENSIONS = [...OUTPUT_EXTENSIONS, ...EXPORT_EXTENSIONS, 'jsonl'];
const DAY_MS = 86_400_000;

/**
 * Aborts uploads that have been unfinished for more than a day: they are invisible, but cost money.
 * Failures are ignored; the next run tries again.
 * @param storeNowMs milliseconds since the epoch, by the store's clock.
 */
export async function abortOldUploads(
  store: ObjectStore,
  prefix: string,
  storeNowMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const isOld = ({ key, startedMs }: UnfinishedUpload): boolean =>
    storeNowMs - startedMs > DAY_MS && UPLOAD_EXTENSIONS.some((extension) => key.endsWith(`.${extension}`));
  try {
    for await (const page of store.listUploads(prefix, signal))
      for (const upload of page.filter(isOld)) await store.abortUpload(upload, signal);
  } catch {
    // The store may not list uploads, or not with these credentials. An abort is reported elsewhere.
  }
}

/** Reads of an object that other runs replace at the same time, before an update gives up its own check. */
const MAX_UPDATE_READS = 5;

/** Updates an object, and reads it again until it contains the update: another run may have replaced it meanwhile. */
async function updateObject(
  store: ObjectStore,
  key: string,
  update: (text: string | undefined) => string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let reads = 0; reads < MAX_UPDATE_READS; reads++) {
    const text = (await store.getWhole(key, signal))?.toString('utf8');
    const updated = update(text);
    if (updated === text) return;
    await store.put(key, Buffer.from(updated), signal);
  }
}
