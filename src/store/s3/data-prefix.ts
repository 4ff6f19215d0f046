import { OUTPUT_EXTENSIONS } from '../../base/output-format-names.js';
import { Semaphore } from '../../base/semaphore.js';
import type { FileLookup, ListedEntry } from '../destination.js';
import type { StoredFileInfo } from '../files.js';
import { LineStore } from '../manifest/line-store.js';
import { isDataPath } from '../paths.js';
import type { BucketAddress } from './bucket-address.js';
import type { ObjectStore, UnfinishedUpload } from './object-store.js';

/** Extensions of exports that conversions do not have. */
const EXPORT_EXTENSIONS = ['npz', 'feather'];
/** Extensions of files that tickhaul uploads: other programs may have uploads under the same prefix. */
const UPLOAD_EXTENSIONS = ['csv.gz', ...OUTPUT_EXTENSIONS, ...EXPORT_EXTENSIONS, 'jsonl'];
const DAY_MS = 86_400_000;
const CONCURRENT_LISTINGS = 8;

/** The files of a destination in a bucket, without tickhaul's state. */
export class DataPrefix {
  readonly #store: ObjectStore;
  readonly #prefix: string;

  constructor(store: ObjectStore, { prefix }: BucketAddress) {
    this.#store = store;
    this.#prefix = prefix;
  }

  /** @param pathPrefix start of the paths. */
  async *list(
    pathPrefix: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly (ListedEntry & StoredFileInfo)[], void> {
    for await (const page of this.#store.list(this.#prefix + pathPrefix, signal)) {
      const files = page.flatMap(({ key, bytes, etag, modified }) => {
        const path = key.slice(this.#prefix.length);
        return isDataPath(path) ? [{ path, bytes, etag, modified }] : [];
      });
      if (files.length > 0) yield files;
    }
  }

  /** Lists all objects under some prefixes, so that lookups are answered from memory. */
  async openLookup(prefixes: readonly string[], signal: AbortSignal | undefined): Promise<FileLookup> {
    // There may be millions, so store them as lines outside the heap.
    const linesByPath = new LineStore();
    const listings = new Semaphore(CONCURRENT_LISTINGS);
    const listOne = async (prefix: string): Promise<void> => {
      for await (const page of this.list(prefix, signal))
        for (const { path, bytes, etag } of page) linesByPath.set(path, `${bytes} ${etag}`);
    };
    await Promise.all(prefixes.map((prefix) => listings.run(() => listOne(prefix))));
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

  /**
   * Aborts uploads that have been unfinished for more than a day: they are invisible, but cost money.
   * Failures are ignored; the next run tries again.
   * @param storeNowMs milliseconds since the epoch, by the store's clock.
   */
  async abortOldUploads(storeNowMs: number, signal: AbortSignal | undefined): Promise<void> {
    const isOld = ({ key, startedMs }: UnfinishedUpload): boolean =>
      storeNowMs - startedMs > DAY_MS && UPLOAD_EXTENSIONS.some((extension) => key.endsWith(`.${extension}`));
    try {
      for await (const page of this.#store.listUploads(this.#prefix, signal))
        for (const upload of page.filter(isOld)) await this.#store.abortUpload(upload, signal);
    } catch {
      // The store may not list uploads, or not with these credentials. An abort is reported elsewhere.
    }
  }
}
