import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Destination } from '../../src/store/destination.js';
import { DEFAULT_STORE_SETTINGS, type Files, type StoredVersion } from '../../src/store/files.js';
import type { Manifest } from '../../src/store/manifest/manifest.js';
import type { ManifestRecord } from '../../src/store/manifest-record.js';
import { createLocationFiles } from '../../src/store/open-files.js';
import { isDataPath } from '../../src/store/paths.js';
import { createBucketDestination } from '../../src/store/s3/bucket-destination.js';
import { createBucketFiles, parseBucketAddress } from '../../src/store/s3/bucket-files.js';
import { manifestRoot } from '../../src/store/s3/bucket-manifest/manifest-objects.js';
import type { ObjectStore, ObjectUpload } from '../../src/store/s3/object-store.js';
import { MemoryBucket, type RequestGate } from './memory-store.js';

const ADDRESS = parseBucketAddress('s3://bucket/prefix');
const { prefix: PREFIX } = ADDRESS;

export interface MemoryDestinationOptions {
  /** Reported memory of each unfinished object. */
  readonly uploadMemoryBytes?: number;
  /** Whether the manifest writes each record at once, not some seconds later. */
  readonly writesAtOnce?: boolean;
  readonly gate?: RequestGate;
}

/** Opens `s3://bucket/data` of a bucket in memory. */
export function openMemoryBucket(bucket: MemoryBucket, gate?: RequestGate): Destination {
  const store = bucket.client(gate);
  const stores = { bucket: () => store, close: () => {} };
  return createBucketDestination(parseBucketAddress('s3://bucket/data'), stores, DEFAULT_STORE_SETTINGS);
}

/** A destination over a bucket in memory. Its paths exclude tickhaul’s state. */
export interface MemoryDestination extends Destination {
  /** Requests for data: `get <path>`, `head <path>`. */
  readonly asked: readonly string[];
  /** Number of unfinished objects, now and at most. */
  readonly underway: { readonly now: number; readonly most: number };
  paths(): readonly string[];
  bytes(path: string): Buffer | undefined;
  put(path: string, body: Uint8Array): StoredVersion;
  delete(path: string): void;
  /** Starts an upload that is never finished. @param ageMs by the store's clock. */
  leaveUpload(path: string, ageMs: number): Promise<void>;
  /** Paths of unfinished uploads. */
  uploads(): readonly string[];
  /** Records by path. */
  records(): Promise<ReadonlyMap<string, ManifestRecord>>;
  /** Appends a record as another run would. */
  record(...records: readonly ManifestRecord[]): Promise<void>;
  forgetRecords(): void;
}

export function memoryDestination(options: MemoryDestinationOptions = {}): MemoryDestination {
  const { writesAtOnce = false, gate = async () => {} } = options;
  const bucket = new MemoryBucket();
  const asked: string[] = [];
  const underway = { now: 0, most: 0 };
  const client = bucket.client(async (call, moment) => {
    const path = call.key.slice(PREFIX.length);
    const isRead = call.name === 'get' || call.name === 'head';
    if (moment === 'before' && isRead && isDataPath(path)) asked.push(`${call.name} ${path}`);
    await gate(call, moment);
  });
  const store: ObjectStore = {
    ...client,
    upload: (key) => watch(client.upload(key), key, underway),
  };
  const real = createBucketDestination(
    ADDRESS,
    { bucket: () => store, close: () => {} },
    DEFAULT_STORE_SETTINGS,
  );
  const open = (): Promise<Manifest> => real.openManifest({ warn: assert.fail });
  return {
    ...real,
    uploadMemoryBytes: options.uploadMemoryBytes ?? real.uploadMemoryBytes,
    async openLookup(prefixesOf = () => [''], signal) {
      const prefixes = prefixesOf();
      const { has, get } = await real.openLookup(() => prefixes, signal);
      const listed = (path: string): string => {
        if (!prefixes.some((prefix) => path.startsWith(prefix))) throw new Error(`${path} was not listed`);
        return path;
      };
      return { has: (path) => has(listed(path)), get: (path) => get(listed(path)) };
    },
    async openManifest(...args) {
      const manifest = await real.openManifest(...args);
      return writesAtOnce ? flushAppends(manifest) : manifest;
    },
    asked,
    underway,
    paths: () =>
      bucket
        .keys(PREFIX)
        .map((key) => key.slice(PREFIX.length))
        .filter(isDataPath),
    bytes: (path) => bucket.bytes(PREFIX + path),
    put: (path, body) => bucket.write(PREFIX + path, body),
    delete: (path) => bucket.delete(PREFIX + path),
    uploads: () => bucket.uploads().map((key) => key.slice(PREFIX.length)),
    async leaveUpload(path, ageMs) {
      const { now } = bucket;
      bucket.now -= ageMs;
      await client.upload(PREFIX + path).write(Buffer.from('begun'));
      bucket.now = now;
    },
    async records() {
      const manifest = await open();
      return new Map([...manifest.records()].map((record) => [record.path, record]));
    },
    async record(...records) {
      const manifest = flushAppends(await open());
      await Promise.all(records.map((record) => manifest.append(record)));
      await manifest.close();
    },
    forgetRecords() {
      for (const key of bucket.keys(manifestRoot(PREFIX))) bucket.delete(key);
    },
  };
}

/** Counts an upload until it ends. @returns an upload that fails if calls overlap or follow its end. */
function watch(upload: ObjectUpload, key: string, underway: { now: number; most: number }): ObjectUpload {
  let isOpen = true;
  let isWriting = false;
  underway.most = Math.max(underway.most, ++underway.now);
  const end = (): void => {
    if (isWriting) throw new Error(`${key}: calls overlap`);
    if (isOpen) underway.now--;
    isOpen = false;
  };
  return {
    async write(bytes) {
      if (isWriting || !isOpen) throw new Error(`${key}: written at a wrong time`);
      isWriting = true;
      await nextTurn();
      isWriting = false;
      await upload.write(bytes);
    },
    async complete() {
      end();
      return upload.complete();
    },
    async abort() {
      end();
      await upload.abort();
    },
  };
}

/** Writes each record of a manifest at once, not some seconds later. */
function flushAppends(manifest: Manifest): Manifest {
  const append = manifest.append.bind(manifest);
  return Object.assign(manifest, {
    append(record: ManifestRecord) {
      const written = append(record);
      void manifest.flush();
      return written;
    },
  });
}

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
  const files = createLocationFiles(async () => createBucketFiles({ bucket: () => store, close: () => {} }));
  return { ...files, bucket, asked };
}
