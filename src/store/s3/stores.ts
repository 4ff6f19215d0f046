import type { StoreSettings } from '../files.js';
import { openBucket } from './bucket.js';
import { type Connection, connect } from './connection.js';
import type { ObjectStore } from './object-store.js';
import { PartShelf } from './part-shelf.js';

/** Buckets of one store, over the same connections. */
export interface Stores {
  bucket(name: string): ObjectStore;
  close(): void;
}

/** Nothing is loaded before something is asked for, and nothing connected. */
export function openStores(settings: StoreSettings): Stores {
  let connection: Promise<Connection> | undefined;
  const shelf = new PartShelf();
  const buckets = new Map<string, ObjectStore>();
  const close = (): void => {
    connection?.then(({ close }) => close()).catch(() => {});
  };
  return {
    bucket(name) {
      const connected = (): Promise<Connection> => {
        connection ??= connect(settings);
        return connection;
      };
      const bucket = buckets.get(name) ?? openBucket(name, { connect: connected, shelf, close });
      buckets.set(name, bucket);
      return bucket;
    },
    close,
  };
}
