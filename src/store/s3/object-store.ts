/** What a listing tells of an object. */
export interface StoredObject {
  /** The whole key, in the bucket. */
  readonly key: string;
  readonly bytes: number;
  /** Without quotes. */
  readonly etag: string;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly modified: number;
}

/** How an object came to stand: what tells later whether it is still the same. */
export interface ObjectVersion {
  /** Without quotes. */
  readonly etag: string;
  /** Bytes of each of its parts but the last; undefined where it was put in one piece. */
  readonly partSize?: number | undefined;
}

/** An object in the making, of which nobody sees anything before `complete`. Calls must not overlap. */
export interface ObjectUpload {
  /** Resolves when more may come; the bytes may be reused then. */
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the object stand under its key, whole. A lost answer is asked for again. */
  complete(): Promise<ObjectVersion>;
  /** Leaves nothing behind, as far as the store can be reached; after `complete`, it does nothing. Never throws. */
  abort(): Promise<void>;
}

/**
 * One bucket of an S3-compatible store, by whole keys. All that is relied on is that a put and a completion are one
 * step, and that listings and gets see them at once: no condition, which some stores ignore.
 * All calls try again what may pass, and throw TickhaulError (see `errors.ts` beside), or the reason of an abort.
 */
export interface ObjectStore {
  /** `s3://bucket`, for messages. */
  readonly name: string;
  /**
   * Whether the bucket is there, and what begins so may be listed: before anything else is done.
   * @returns whether anything does.
   * @throws `usage` (no such bucket), `store_refused`, `store_down` … soon, as nothing is lost yet.
   */
  check(prefix: string, signal?: AbortSignal): Promise<boolean>;
  /** Puts an object in one piece, with its MD5. */
  put(key: string, body: Uint8Array, signal?: AbortSignal): Promise<ObjectVersion>;
  /** @returns undefined where there is none. */
  head(key: string, signal?: AbortSignal): Promise<StoredObject | undefined>;
  /**
   * Gives the bytes of an object from `start` up to `endConversion` (exclusive; both may be left out), as they come. A connection
   * that breaks is made anew where it ended; an object that changed meanwhile is `changed`.
   * @throws `missing` where there is none.
   */
  get(key: string, range?: ByteRange, signal?: AbortSignal): AsyncIterable<Buffer>;
  /** The whole of a small object; undefined where there is none. */
  getWhole(key: string, signal?: AbortSignal): Promise<Buffer | undefined>;
  /** Objects whose key begins so, in the order of keys, a page of at most 1,000 at a time. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<readonly StoredObject[]>;
  /** Those that are not there count as removed. */
  remove(keys: readonly string[], signal?: AbortSignal): Promise<void>;
  /** @param bytes how many come, where that is known: a small object is put in one piece. */
  upload(key: string, bytes?: number, signal?: AbortSignal): ObjectUpload;
  /** Uploads that were begun and neither completed nor aborted, under keys that begin so. */
  unfinished(prefix: string, signal?: AbortSignal): AsyncIterable<readonly UnfinishedUpload[]>;
  /** Leaves nothing of an upload; one that isn't there any more counts as left. */
  abandon(upload: Pick<UnfinishedUpload, 'key' | 'id'>, signal?: AbortSignal): Promise<void>;
  close(): void;
}

export interface ByteRange {
  /** What it must be, without quotes: another one is `changed`. */
  readonly etag?: string | undefined;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

export interface UnfinishedUpload {
  readonly key: string;
  readonly id: string;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly startedMs: number;
}
