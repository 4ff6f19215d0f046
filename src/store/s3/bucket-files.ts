import { TickhaulError, usageError } from '../../base/errors.js';
import { collectBytes } from '../../base/memory.js';
import { STATE_FOLDER } from '../../day-files/day-file.js';
import type { Files, StoreSettings } from '../files.js';
import { EXPORT_LOG_NAME, isDataPath, isInside } from '../paths.js';
import { type BucketConnections, openBucketConnections } from './bucket.js';
import { manifestRoot } from './bucket-manifest/manifest-objects.js';
import type { ObjectStore } from './object-store.js';

/** Opens access to the objects of one store. It is not contacted before the first access. */
export function openBucketFiles(settings: StoreSettings): Files {
  return createBucketFiles(openBucketConnections(settings));
}

/** Accesses objects by location, `s3://bucket/key`. */
export function createBucketFiles(stores: BucketConnections): Files {
  const resolve = (location: string): { readonly store: ObjectStore; readonly key: string } => {
    const { bucket, key } = parseObjectLocation(location);
    return { store: stores.bucket(bucket), key };
  };
  return {
    async stat(location, signal) {
      const { store, key } = resolve(location);
      // An empty key is the bucket itself, since objects have no empty names.
      return key === '' ? undefined : store.head(key, signal);
    },

    async read(location, use, signal) {
      const { store, key } = resolve(location);
      for await (const chunk of store.get(key, {}, signal)) await use(chunk);
    },

    async openRandom(location, signal) {
      const { store, key } = resolve(location);
      const object = await store.head(key, signal);
      if (!object) throw new TickhaulError('missing', `${location}: does not exist`);
      const { bytes, etag } = object;
      return {
        bytes,
        async read(start, length) {
          if (length === 0) return Buffer.alloc(0);
          const range = { start, end: start + length, etag };
          const bytesRead = await collectBytes(store.get(key, range, signal));
          if (bytesRead.length === length) return bytesRead;
          throw new TickhaulError('corrupt', `${location}: truncated: ends before byte ${start + length}`);
        },
        close: async () => {},
      };
    },

    async openPart(location, _part, signal, bytes) {
      const { store, key } = resolve(location);
      const upload = store.upload(key, bytes, signal);
      return {
        location,
        write: (bytes) => upload.write(bytes),
        publish: () => upload.complete(),
        discard: () => upload.abort(),
      };
    },

    async remove(location, signal) {
      const { store, key } = resolve(location);
      await store.remove([key], signal);
    },

    async hasRecords(location, signal) {
      const { store, key } = resolve(location);
      if (key !== '' && !isDataPath(key)) return false;
      try {
        const prefix = key === '' ? '' : `${key}/`;
        if (await store.check(manifestRoot(prefix), signal)) return true;
        return (await store.head(`${prefix}${STATE_FOLDER}/${EXPORT_LOG_NAME}`, signal)) !== undefined;
      } catch (error) {
        if (error instanceof TickhaulError && error.code === 'store_refused') return false;
        throw error;
      }
    },

    close: async () => stores.close(),
  };
}

/** A bucket and prefix that the user named (docs/spec/s3-layout.md#addresses). */
export interface BucketAddress {
  readonly bucket: string;
  /** Start of all keys: empty, or with a slash at its end. */
  readonly prefix: string;
  /** `s3://bucket/prefix`, without a slash at its end. */
  readonly name: string;
}

export interface ObjectLocation {
  readonly bucket: string;
  readonly key: string;
}

/**
 * Wider than Amazon's rules for new buckets: old buckets, and other stores, have capitals and underscores.
 */
const BUCKET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/;

/**
 * Parses `s3://bucket/prefix`; the prefix is optional.
 * @throws usage error for a missing or invalid bucket, or a prefix with empty, `.` or `..` names.
 */
export function parseBucketAddress(text: string): BucketAddress {
  const { bucket, key } = parseObjectLocation(text);
  const path = key.replace(/\/+$/, '');
  if (path === '') return { bucket, prefix: '', name: `s3://${bucket}` };
  if (!isInside(path))
    throw usageError(
      `s3://${bucket}/…: the prefix is not valid; use names between single slashes, none of them "." or ".."`,
    );
  if (path.split('/').includes(STATE_FOLDER))
    throw usageError(`s3://${bucket}/${path}: ${STATE_FOLDER} is reserved by tickhaul; use its parent`);
  return { bucket, prefix: `${path}/`, name: `s3://${bucket}/${path}` };
}

/** Parses `s3://bucket/key`. @throws usage error for a missing or invalid bucket. */
export function parseObjectLocation(location: string): ObjectLocation {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/is.exec(location) ?? [];
  if (bucket === '') throw usageError('s3://… has no bucket; use s3://bucket/prefix');
  // Do not show it: this may be a password.
  if (/[@:]/.test(bucket))
    throw usageError(
      's3://… may contain only a bucket and a prefix; set credentials with AWS_ACCESS_KEY_ID or AWS_PROFILE, and the host with --s3-endpoint',
    );
  if (!BUCKET_NAME.test(bucket))
    throw usageError(
      `"${bucket}" is not a valid bucket name; it needs at least 3 characters: letters, digits, dots or hyphens`,
    );
  return { bucket, key };
}
