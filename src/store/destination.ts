import type { FileFacts, Files, StoreSettings } from './files.js';
import type { LockOwner, RunLock } from './lock/run-lock.js';
import type { TakeLockOptions } from './lock/take-lock.js';
import type { Manifest, ManifestOptions } from './manifest/manifest.js';
import type { ManifestScopes } from './manifest/scope.js';

/**
 * Where day files are brought to: a folder of this machine, or a prefix of a bucket. Paths are relative to it, with `/`,
 * and lead nowhere else. An implementation: `folder/` for disks, `s3/` for object stores.
 */
export interface Destination {
  readonly kind: 'folder' | 's3';
  /** As its user names it: for messages. */
  readonly name: string;
  /**
   * Where a path of it lies: an absolute path, or `s3://bucket/prefix/path`. The empty path is the destination itself, as
   * its user names it.
   * @throws usage error for one outside.
   */
  locate(path: string): string;
  /** By location. */
  readonly files: Files;
  /** Plain data, by which a thread opens the same files. */
  readonly settings: StoreSettings;
  /** Bytes of memory that a file in the making takes while it is on its way; 0 on a disk. */
  readonly partBytes: number;

  /**
   * What stands in it now, for many questions that are answered at once. Of a folder it looks when it is asked; a store
   * lists first what will be asked for.
   * @param prefixesOf gives what the paths begin with that will be asked for, folder after folder; undefined for all
   * paths, in any order.
   */
  survey(prefixesOf?: () => readonly string[], signal?: AbortSignal): Promise<Survey>;
  /** Paths of what stands under one, in order of names, several at a time; tickhaul's own are left out. */
  list(under: string, signal: AbortSignal): AsyncIterable<readonly ListedFile[]>;

  /** @param scope which part will be asked for, or parts; a folder's manifest is always whole. */
  openManifest(options: ManifestOptions, scope?: ManifestScopes): Promise<Manifest>;
  /**
   * Takes the right to work in it. In a folder, a run that removes or rewrites is alone; in a store, one such keeps all
   * others out, and downloads go on side by side.
   * @throws TickhaulError `locked`, which names the holder; the reason of an abort.
   */
  takeLock(owner: LockOwner, options?: TakeLockOptions): Promise<RunLock>;
  /**
   * Joins those who only add to it. In a folder the first one takes the lock where that is free, and nobody waits; in a
   * store all share a lease, and wait for whoever has it alone.
   * @throws TickhaulError `disk`; of a store, `locked`, and the reason of an abort.
   */
  joinRun(owner: LockOwner, options?: TakeLockOptions): Promise<JoinedRun>;

  /** A small file of tickhaul's own, under `.tickhaul/`; undefined where there is none. */
  readState(name: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Replaces it in one step. A store has some seconds for it where the signal is aborted already. */
  writeState(name: string, text: string, signal?: AbortSignal): Promise<void>;
  /** Of a store; what ended runs leave in a folder are `.part` files. */
  readonly uploads?: Uploads | undefined;
  /** Bytes that it has room for; undefined where nobody knows. */
  freeBytes(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Uploads of ours that were begun and neither completed nor aborted. */
export interface Uploads {
  /** Some at a time; of tickhaul's own files too. */
  list(signal: AbortSignal): AsyncIterable<readonly BegunUpload[]>;
  /** Leaves nothing of it. */
  abandon(upload: BegunUpload, signal: AbortSignal | undefined): Promise<void>;
}

export interface BegunUpload {
  /** Relative to the destination, with `/`. */
  readonly path: string;
  readonly id: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly begun: number;
}

/** A place among the runs of a destination. */
export interface JoinedRun {
  /** Makes part names private to this run, where another one holds the lock; undefined where none is needed. */
  readonly partSuffix: string | undefined;
  /** As of `RunLock`; undefined where nothing is held. */
  readonly lost: AbortSignal | undefined;
  /** Of a folder: the process that holds its lock, in words, if that is another one. */
  readonly other?: string | undefined;
  release(): Promise<void>;
}

/** What stood in a destination when it was looked at. */
export interface Survey {
  has(path: string): boolean;
  facts(path: string): FileFacts | undefined;
}

/** What a listing tells of a file: of a store all, of a folder its path, as each file would have to be looked at. */
export interface ListedFile extends Partial<FileFacts> {
  readonly path: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly modified?: number | undefined;
}
