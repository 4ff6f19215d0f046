import { TickhaulError } from '../../base/errors.js';
import { collectBytes } from '../../base/memory.js';
import { STATE_FOLDER } from '../../day-files/file-naming.js';
import type { Files, StoreSettings } from '../files.js';
import { EXPORT_LOG_NAME, isDataPath } from '../paths.js';
import { type BucketConnections, openBucketConnections } from './bucket.js';
import { parseObjectLocation } from './bucket-address.js';
import { manifestRoot } from './manifest/manifest-objects.js';
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
