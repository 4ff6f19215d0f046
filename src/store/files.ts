import type { ReadChunks } from '../base/disk-files.js';
import { TickhaulError } from '../base/errors.js';

/** Facts about a file or object. */
export interface StoredFileInfo {
  readonly bytes: number;
  /** For an object, its ETag without quotes; undefined for a local file. */
  readonly etag?: string | undefined;
  /** For a local file, a text that changes if the file is replaced. */
  readonly version?: string | undefined;
  /** For a local file, the time of its last change in milliseconds since the epoch. */
  readonly modifiedMs?: number | undefined;
}

/** Version of a stored object, which shows later whether it was overwritten. Local files have none. */
export interface StoredVersion {
  /** Without quotes. */
  readonly etag: string;
  /** Size of each part of the upload except the last; undefined if the object was put as a whole. */
  readonly partSize?: number | undefined;
}

/** A file that is read at arbitrary positions. */
export interface RandomAccess {
  readonly bytes: number;
  /** Reads exactly `length` bytes. @throws TickhaulError `corrupt` if the file ends before. */
  read(position: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** A file that is being written and gets its name when it is complete. Calls must not overlap. */
export interface PartFile {
  /** Final location; undefined if it is not known. */
  readonly location?: string | undefined;
  /** Resolves when the bytes may be reused. A failed write leaves none of its bytes in the file. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Gives the file its final name. For an object, resolves to its version.
   * @param location final location in the same folder, if it is not that with which the file was opened; not for objects.
   */
  publish(location?: string): Promise<StoredVersion | undefined>;
  /** Removes the unfinished file; has no effect after `publish`. */
  discard(): Promise<void>;
  /**
   * Closes the file until the next call, so that a job may have more files than the system lets it open. Absent for
   * objects. @throws TickhaulError `disk`.
   */
  suspend?(): Promise<void>;
}

/**
 * Accesses files by location: a local path, or `s3://bucket/key`. Each thread creates its own from
 * `StoreSettings`, which are plain data.
 */
export interface Files {
  /** @returns undefined if nothing exists there, or not a file. */
  stat(location: string, signal?: AbortSignal): Promise<StoredFileInfo | undefined>;
  /** Reads a file from start to end. */
  readonly read: ReadChunks;
  openRandom(location: string, signal?: AbortSignal): Promise<RandomAccess>;
  /**
   * @param part temporary name of the file; not used for objects.
   * @param bytes size of the file, if known.
   */
  openPart(location: string, part?: string, signal?: AbortSignal, bytes?: number): Promise<PartFile>;
  /** Has no effect if the file does not exist. */
  remove(location: string, signal?: AbortSignal): Promise<void>;
  /**
   * Whether a folder or prefix has a manifest or an export log; false if access is refused.
   */
  hasRecords(location: string, signal?: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * How to reach object stores, as plain data. Credentials come from the SDK's usual sources and are not
 * included.
 */
export interface StoreSettings {
  /** URL of the store; by default, the SDK uses Amazon S3. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly pathStyle?: boolean | undefined;
  /** Environment variables that name proxies, such as HTTP_PROXY. */
  readonly proxyVariables?: Readonly<Record<string, string | undefined>> | undefined;
  /** Longest time without progress, after which a request is aborted. */
  readonly stallTimeoutMs: number;
  /** Total attempts per request; default 10. Use fewer if a user waits for the result. */
  readonly maxAttempts?: number | undefined;
  /** Whether each request is logged (`withRequestLog`). */
  readonly logsRequests?: boolean | undefined;
}

export const DEFAULT_STORE_SETTINGS: StoreSettings = { stallTimeoutMs: 60_000 };

/** Reads all bytes at a location. @throws like `Files.read`. */
export async function readBytesAt(files: Files, location: string, signal?: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await files.read(location, async (chunk) => void chunks.push(Buffer.from(chunk)), signal);
  return Buffer.concat(chunks);
}

/** Reads the text at a location; undefined if nothing exists there. @throws like `Files.read`. */
export async function readTextAt(
  files: Files,
  location: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return (await undefinedIfMissing(readBytesAt(files, location, signal)))?.toString('utf8');
}

/** The result of an access; undefined if nothing exists at the location. */
export async function undefinedIfMissing<T>(access: Promise<T>): Promise<T | undefined> {
  try {
    return await access;
  } catch (error) {
    if (error instanceof TickhaulError && error.code === 'missing') return undefined;
    throw error;
  }
}

/** Atomically writes text chunks to a location. @throws the errors of `PartFile`. */
export async function writeTextsAt(
  files: Files,
  location: string,
  texts: Iterable<string>,
  signal?: AbortSignal,
): Promise<void> {
  const part = await files.openPart(location, undefined, signal);
  try {
    for (const text of texts) await part.write(Buffer.from(text));
    await part.publish();
  } finally {
    await part.discard();
  }
}
