import { createHash } from 'node:crypto';
import { TickhaulError } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';
import type { StoredVersion } from '../files.js';
import { CLOCK, type LockClock } from '../lock/heartbeat.js';

/** An object in a listing. */
export interface StoredObject {
  /** Full key in the bucket. */
  readonly key: string;
  readonly bytes: number;
  /** Without quotes. */
  readonly etag: string;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly modified: number;
}

/** An object that is being written, and invisible until `complete`. Calls must not overlap. */
export interface ObjectUpload {
  /** Resolves when the bytes may be reused. */
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the object visible. If the response is lost, checks whether the object exists. */
  complete(): Promise<StoredVersion>;
  /** Removes the upload, if the store can be reached; has no effect after `complete`. Never throws. */
  abort(): Promise<void>;
}

/**
 * One bucket of an S3-compatible store, by full keys. The only assumption is that a put and a completed
 * upload are atomic and immediately visible to list and get (docs/spec/s3-layout.md#assumptions). Conditional
 * writes are not used, since some stores ignore the condition. All methods retry temporary failures and throw
 * TickhaulError (see `s3-errors.ts`) or the abort reason.
 */
export interface ObjectStore {
  /** `s3://bucket`, for messages. */
  readonly name: string;
  /**
   * Checks that the bucket exists and can be listed. Call it before anything else.
   * @returns whether any key has this prefix.
   * @throws TickhaulError `usage` (no such bucket), `store_refused`, `store_down`; with few retries, so that
   * it fails early.
   */
  check(prefix: string, signal?: AbortSignal): Promise<boolean>;
  /** Puts an object as a whole, with its MD5. */
  put(key: string, body: Uint8Array, signal?: AbortSignal): Promise<StoredVersion>;
  /** @returns undefined if the object does not exist. */
  head(key: string, signal?: AbortSignal): Promise<StoredObject | undefined>;
  /**
   * Reads an object from `start` up to `end` (exclusive; both optional). After a disconnect, continues at the
   * same position; if the object has changed meanwhile, throws `changed`.
   * @throws `missing` if it does not exist.
   */
  get(key: string, range?: ByteRange, signal?: AbortSignal): AsyncIterable<Buffer>;
  /** Reads a small object as a whole; undefined if it does not exist. */
  getWhole(key: string, signal?: AbortSignal): Promise<Buffer | undefined>;
  /** Lists objects with this prefix, in the order of keys, in pages of up to 1,000. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<readonly StoredObject[]>;
  /** Removes objects. Missing ones are ignored. */
  remove(keys: readonly string[], signal?: AbortSignal): Promise<void>;
  /** @param bytes size of the object, if known: a small one is put as a whole. */
  upload(key: string, bytes?: number, signal?: AbortSignal): ObjectUpload;
  /** Lists unfinished uploads under keys with this prefix. */
  listUploads(prefix: string, signal?: AbortSignal): AsyncIterable<readonly UnfinishedUpload[]>;
  /** Aborts an upload and removes its parts. Has no effect if it no longer exists. */
  abortUpload(upload: Pick<UnfinishedUpload, 'key' | 'id'>, signal?: AbortSignal): Promise<void>;
}

export interface ByteRange {
  /** Expected ETag, without quotes: if the object has another, `get` throws `changed`. */
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

/**
 * Removes quotes and `W/` (docs/spec/s3-layout.md#etags): some stores add quotes in one response and not in
 * another.
 */
export function normalizeEtag(etag: string | undefined): string | undefined {
  return etag?.replace(/^W\//, '').replaceAll('"', '') || undefined;
}

/** The usual ETag of a multipart object: the MD5 of its parts' MD5s, `-`, and their number. */
export function multipartEtag(md5s: readonly Buffer[]): string {
  return `${createHash('md5').update(Buffer.concat(md5s)).digest('hex')}-${md5s.length}`;
}

export function md5Digest(bytes: Uint8Array): Buffer {
  return createHash('md5').update(bytes).digest();
}

/**
 * Time for the last requests of a run (docs/spec/s3-layout.md#end-of-a-run), so that a store that is down
 * does not block it.
 */
export const SHUTDOWN_TIMEOUT_MS = 5_000;

/**
 * Runs `work` at the end of a run, with a time limit.
 * @param name `s3://bucket/key`, for the error.
 * @param work receives a signal that is aborted when the time is over.
 * @throws what `work` throws; TickhaulError `store_down` when the time is over.
 */
export async function withShutdownTimeout<T>(
  name: string,
  work: (signal: AbortSignal) => Promise<T>,
  clock: Pick<LockClock, 'wait'> = CLOCK,
): Promise<T> {
  const timeout = new AbortController();
  const done = new AbortController();
  clock.wait(SHUTDOWN_TIMEOUT_MS, done.signal).then(
    () => timeout.abort(createShutdownTimeoutError(name)),
    () => {},
  );
  try {
    return await rejectOnAbort(work(timeout.signal), timeout.signal);
  } finally {
    done.abort();
  }
}

/** The error of requests that did not finish in time at the end of a run. */
export function createShutdownTimeoutError(name: string): TickhaulError {
  return new TickhaulError(
    'store_down',
    `${name}: the store did not respond in time; run the same command again`,
  );
}
