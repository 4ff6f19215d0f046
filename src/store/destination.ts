import type { FileFacts, Files } from './files.js';
import type { LockOwner, RunLock } from './lock/run-lock.js';
import type { TakeLockOptions } from './lock/take-lock.js';
import type { Manifest, ManifestOptions } from './manifest/manifest.js';

/**
 * Where day files are brought to: a folder of this machine, or a prefix of a bucket. Paths are relative to it, with `/`,
 * and lead nowhere else. An implementation: `folder/` for disks, `s3/` for object stores.
 */
export interface Destination {
  readonly kind: 'folder' | 's3';
  /** As its user names it: for messages. */
  readonly name: string;
  /** Where a path of it lies: an absolute path, or `s3://bucket/prefix/path`. @throws usage error for one outside. */
  locate(path: string): string;
  /** By location. */
  readonly files: Files;

  /**
   * What stands in it now, for many questions that are answered at once. Of a folder it looks when it is asked; of a
   * store it lists first what begins with one of these.
   * @param prefixes of paths that will be asked for; none for all.
   */
  survey(prefixes?: readonly string[], signal?: AbortSignal): Promise<Survey>;
  /** Paths of what stands under one, in order of names, several at a time; tickhaul's own are left out. */
  list(under: string, signal: AbortSignal): AsyncIterable<readonly ListedFile[]>;

  /** @param scope which part will be asked for; a folder's manifest is always whole. */
  openManifest(options: ManifestOptions, scope?: ManifestScope): Promise<Manifest>;
  /**
   * Takes the right to work in it. In a folder, a run that removes or rewrites is alone; in a store, one such keeps all
   * others out, and downloads go on side by side.
   * @throws TickhaulError `locked`, which names the holder; the reason of an abort.
   */
  takeLock(owner: LockOwner, options?: TakeLockOptions): Promise<RunLock>;

  /** A small file of tickhaul's own, under `.tickhaul/`; undefined where there is none. */
  readState(name: string): Promise<string | undefined>;
  /** Replaces it in one step. */
  writeState(name: string, text: string): Promise<void>;
  /** Bytes that it has room for; undefined where nobody knows. */
  freeBytes(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** What stood in a destination when it was looked at. */
export interface Survey {
  has(path: string): boolean;
  facts(path: string): FileFacts | undefined;
}

export interface ListedFile extends FileFacts {
  readonly path: string;
  /** Milliseconds since the epoch, by the clock of the disk or store. */
  readonly modified?: number | undefined;
}

/** Which records a manifest in parts is read for: undefined is all of that. */
export interface ManifestScope {
  readonly exchange?: string | undefined;
  readonly dataTypes?: readonly string[] | undefined;
  /** UTC days, the second one exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}
