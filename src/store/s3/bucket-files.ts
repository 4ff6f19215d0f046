import { collectBytes } from '../../base/collect-bytes.js';
import { TickhaulError } from '../../base/errors.js';
import type { Files } from '../files.js';
import { isDataPath } from '../paths.js';
import { parseObjectLocation } from './bucket-address.js';
import type { BucketConnections } from './bucket-connections.js';
import { manifestRoot } from './manifest/manifest-keys.js';
import type { ObjectStore } from './object-store.js';

/** Objects by their location, `s3://bucket/key`. */
export function createBucketFiles(stores: BucketConnections): Files {
  const find = (location: string): { readonly store: ObjectStore; readonly key: string } => {
    const { bucket, key } = parseObjectLocation(location);
    return { store: stores.bucket(bucket), key };
  };
  return {
    async stat(location, signal) {
      const { store, key } = find(location);
      // No object has an empty name: it is the bucket.
      return key === '' ? undefined : store.head(key, signal);
    },

    async read(location, use, signal) {
      const { store, key } = find(location);
      for await (const chunk of store.get(key, {}, signal)) await use(chunk);
    },

    async openRandom(location, signal) {
      const { store, key } = find(location);
      const found = await store.head(key, signal);
      if (!found) throw new TickhaulError('missing', `${location}: there is no such object`);
      const { bytes, etag } = found;
      return {
        bytes,
        async read(start, length) {
          if (length === 0) return Buffer.alloc(0);
          const range = { start, end: start + length, etag };
          const whole = await collectBytes(store.get(key, range, signal));
          if (whole.length === length) return whole;
          throw new TickhaulError('corrupt', `${location}: ends before byte ${start + length}`);
        },
        close: async () => {},
      };
    },

    async openPart(location, _part, signal, bytes) {
      const { store, key } = find(location);
      const upload = store.upload(key, bytes, signal);
      return {
        write: (bytes) => upload.write(bytes),
        publish: () => upload.complete(),
        discard: () => upload.abort(),
      };
    },

    async remove(location, signal) {
      const { store, key } = find(location);
      await store.remove([key], signal);
    },

    async hasManifest(location, signal) {
      const { store, key } = find(location);
      if (key !== '' && !isDataPath(key)) return false;
      try {
        return await store.check(manifestRoot(key === '' ? '' : `${key}/`), signal);
      } catch (error) {
        if (error instanceof TickhaulError && error.code === 'store_refused') return false;
        throw error;
      }
    },

    close: async () => stores.close(),
  };
}
