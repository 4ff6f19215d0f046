import type { ListedEntry, PendingUpload, Uploads } from '../destination.js';
import type { StoredFileInfo } from '../files.js';
import { isDataPath } from '../paths.js';
import type { BucketAddress } from './bucket-address.js';
import type { ObjectStore } from './object-store.js';

/** What an upload of ours becomes: others may have uploads on their way under the same prefix. */
const UPLOAD_EXTENSIONS = /\.(?:csv\.gz|parquet|ndjson(?:\.gz|\.zst)?|jsonl)$/;
const DAY_MS = 86_400_000;

/** The files of a destination in a bucket, without what is tickhaul's own. */
export class DataPrefix {
  readonly #store: ObjectStore;
  readonly #prefix: string;

  constructor(store: ObjectStore, { prefix }: BucketAddress) {
    this.#store = store;
    this.#prefix = prefix;
  }

  /** @param begin of paths. */
  async *list(
    begin: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly (ListedEntry & StoredFileInfo)[], void> {
    for await (const page of this.#store.list(this.#prefix + begin, signal)) {
      const files = page.flatMap(({ key, bytes, etag, modified }) => {
        const path = key.slice(this.#prefix.length);
        return isDataPath(path) ? [{ path, bytes, etag, modified }] : [];
      });
      if (files.length > 0) yield files;
    }
  }

  /** Uploads of ours that were begun and neither completed nor aborted. */
  readonly uploads: Uploads = {
    list: (signal) => this.#unfinished(signal),
    abandon: ({ path, id }, signal) => this.#store.abandon({ key: this.#prefix + path, id }, signal),
  };

  async *#unfinished(signal: AbortSignal | undefined): AsyncGenerator<readonly PendingUpload[], void> {
    for await (const page of this.#store.unfinished(this.#prefix, signal)) {
      const ours = page.filter(({ key }) => UPLOAD_EXTENSIONS.test(key));
      yield ours.map(({ key, id, startedMs }) => ({ path: key.slice(this.#prefix.length), id, startedMs }));
    }
  }

  /**
   * Ends uploads that a run left more than a day ago, which nobody sees and their owner pays for. What doesn't work is
   * left for the next run.
   * @param now milliseconds since the epoch, by the store's clock.
   */
  async endOldUploads(now: number, signal: AbortSignal | undefined): Promise<void> {
    try {
      for await (const page of this.#unfinished(signal)) {
        const old = page.filter(({ startedMs }) => now - startedMs > DAY_MS);
        for (const upload of old) await this.uploads.abandon(upload, signal);
      }
    } catch {
      // A store that doesn't list them, or doesn't let these credentials; an abort shows elsewhere.
    }
  }
}
