import type { ReadChunks } from '../integrity/read-chunks.js';
import type { StoredAs } from './s3/object-store.js';

/** What stands at a location. */
export interface FileFacts {
  readonly bytes: number;
  /** Of an object, its ETag without quotes; undefined for a file. */
  readonly etag?: string | undefined;
  /** Of a file, what the disk says of it: another one where something else was put there since. */
  readonly version?: string | undefined;
}

/** A file that is read here and there. */
export interface RandomAccess {
  readonly bytes: number;
  /** Exactly so many bytes from a position on. @throws TickhaulError `corrupt` where the file ends before. */
  read(position: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** A file in the making, which gets its name when it is whole. Calls must not overlap. */
export interface PartFile {
  /** Resolves when more may come; the bytes may be reused then. Of a write that fails, nothing stays. */
  write(bytes: Uint8Array): Promise<void>;
  /** Makes it stand under its name; of an object, gives what tells later whether it is the same. */
  publish(): Promise<StoredAs | undefined>;
  /** Leaves nothing behind; after `publish`, it does nothing. */
  discard(): Promise<void>;
}

/**
 * Files by their location: a path of this machine, or `s3://bucket/key`. What it is made of (`StoreSettings`) is plain
 * data, so that each thread makes its own.
 */
export interface Files {
  /** @returns undefined where nothing is, or no file. */
  look(location: string, signal?: AbortSignal): Promise<FileFacts | undefined>;
  /** A file's bytes from the first to the last. */
  readonly read: ReadChunks;
  openRandom(location: string, signal?: AbortSignal): Promise<RandomAccess>;
  /**
   * @param part name of a file's bytes until they are whole; objects have none.
   * @param bytes how many come, where that is known.
   */
  openPart(location: string, part?: string, signal?: AbortSignal, bytes?: number): Promise<PartFile>;
  /** Nothing where there is none. */
  remove(location: string, signal?: AbortSignal): Promise<void>;
  /** Whether a folder or prefix has a manifest; false where that may not be looked up. */
  hasManifest(location: string, signal?: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

/** How object stores are reached; plain data. Credentials come from the usual chain, and stand nowhere here. */
export interface StoreSettings {
  /** Address of the store; where there is none, the SDK knows Amazon's. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly pathStyle?: boolean | undefined;
  /** Variables of the environment that name proxies: HTTP_PROXY and the like. */
  readonly proxyVariables?: Readonly<Record<string, string | undefined>> | undefined;
  /** Milliseconds without progress after which a request is broken off. */
  readonly stallTimeoutMs: number;
  /** How often a request is tried in all, for somebody who waits for it; ten times where it is left out. */
  readonly tries?: number | undefined;
  /** Whether each request is told to whoever hears of them (`hearRequests`). */
  readonly tellsRequests?: boolean | undefined;
}

/** Where nobody says anything. */
export const USUAL_STORE: StoreSettings = { stallTimeoutMs: 60_000 };
