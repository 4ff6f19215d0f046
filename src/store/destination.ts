import { existsSync } from 'node:fs';
import { isSystemError, TickhaulError } from '../base/errors.js';
import type { Files, StoredFileInfo, StoredVersion, StoreSettings } from './files.js';
import type { AcquireLockOptions, LockOwner, RunLock } from './lock/run-lock.js';
import type { Manifest, ManifestOptions, ManifestScopes } from './manifest/manifest.js';
import type { ManifestRecord } from './manifest-record.js';
import { stateFolderPath } from './paths.js';

/** What a destination can do, for code that has to choose between two ways. */
export interface DestinationCapabilities {
  /**
   * Whether it is a folder of this machine: `locate` returns paths, and files can be resumed, and replaced without an
   * upload. An object store has ETags, which show that a file was overwritten even if its size is the same; its `list`
   * returns size and ETag of each file, and `openManifest` reads only the records of its scope.
   */
  readonly hasLocalPaths: boolean;
  /** Memory used by each file while it is written; 0 if its bytes are not buffered. */
  readonly uploadMemoryBytes: number;
}

/**
 * Where day files are stored: a folder of this machine, or a prefix of an object store. Paths are relative to
 * it, with `/`, and never lead outside.
 */
export interface Destination extends DestinationCapabilities {
  /** As the user wrote it, for messages. */
  readonly name: string;
  /**
   * The location of a path: an absolute path, or `s3://bucket/prefix/path`. For an empty path, the
   * destination itself, as the user wrote it.
   * @throws usage error for a path outside.
   */
  locate(path: string): string;
  /** Accesses files by location. */
  readonly files: Files;
  /** Plain data from which a thread can open the same files. */
  readonly settings: StoreSettings;

  /**
   * Prepares fast answers about which files exist. A folder is read when a path is looked up; an object store
   * is listed first.
   * @param getPrefixes returns the prefixes of all paths that will be looked up, grouped by folder; undefined
   * for all paths, in any order.
   */
  openLookup(getPrefixes?: () => readonly string[], signal?: AbortSignal): Promise<FileLookup>;
  /** Lists all paths under one, sorted, in batches. Leaves out tickhaul's state. */
  list(under: string, signal: AbortSignal): AsyncIterable<readonly ListedEntry[]>;

  /**
   * Finds what an earlier run has received of a day file; undefined in an object store, where nothing is kept.
   * @param suffix of the run's part files.
   */
  findDayPart(path: string, suffix: string | undefined): Promise<KeptPart | undefined>;
  /** Removes what an earlier run has received of a day file. */
  removeDayPart(path: string): Promise<void>;
  /** Opens a day file for writing. @throws TickhaulError `disk`; errors of the store. */
  openDayPart(path: string, options: DayPartOptions): Promise<DayPart>;

  /** @param scope the records that will be needed. @throws TickhaulError `disk`; errors of the store. */
  openManifest(options: ManifestOptions, scope?: ManifestScopes): Promise<Manifest>;
  /**
   * Reads all records of the manifest without changing it; undefined if there is no manifest.
   * @throws like `openManifest`.
   */
  readRecords(options: ManifestOptions): Promise<Iterable<ManifestRecord> | undefined>;
  /**
   * Acquires the exclusive lock, for runs that remove or rewrite files. In a folder, downloads may run at the
   * same time; in an object store, the lock excludes all other runs.
   * @throws TickhaulError `locked` with the holder; the abort reason.
   */
  acquireLock(owner: LockOwner, options?: AcquireLockOptions): Promise<RunLock>;
  /**
   * Joins the runs that only add files. In a folder, the first such run holds the lock if it is free, and no
   * run waits. In an object store, all share the lock and wait for an exclusive holder.
   * @throws TickhaulError `disk`; for an object store, `locked` and the abort reason.
   */
  joinRun(owner: LockOwner, options?: AcquireLockOptions): Promise<RunMembership>;

  /** Reads a small state file under `.tickhaul/`; undefined if it does not exist. */
  readState(name: string, signal?: AbortSignal): Promise<string | undefined>;
  /**
   * Replaces a state file atomically. If the signal is already aborted, an object store gets a few seconds
   * for it.
   */
  writeState(name: string, text: string, signal?: AbortSignal): Promise<void>;
  /**
   * Replaces a state file by what `update` returns for its text (undefined if it does not exist). In a folder, no run
   * loses what another one adds at the same time. An object store has no condition for a write, so of two updates in
   * the same moment one can be lost: use it for what can be computed again. `update` may be called several times; for
   * a text that it returned, it returns the same text. If the signal is already aborted, an object store gets a few
   * seconds for it.
   */
  updateState(
    name: string,
    update: (text: string | undefined) => string,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Free space; undefined if unknown. */
  freeBytes(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** What an earlier run has received of a day file. */
export interface KeptPart {
  /** Bytes that can be kept; 0 if the file has to begin again. */
  readonly from: number;
  /** Strong ETag of the response that sent them, for If-Range. */
  readonly etag: string;
  /** Size of the whole file. */
  readonly total: number;
}

export interface DayPartOptions {
  /** Makes the name of the part file private to the run. */
  readonly suffix: string | undefined;
  /** Bytes of an earlier run that are kept; 0 to begin. */
  readonly start: number;
  /** Size of the whole file, if announced. */
  readonly total: number | undefined;
  /** Strong ETag of the response, if a later run may resume it. */
  readonly etag: string | undefined;
  /** Whether `findDayPart` has found a part. */
  readonly hasKeptPart: boolean;
  readonly signal: AbortSignal;
}

/** A day file that is being written. It is invisible until `publish`. Calls must not overlap. */
export interface DayPart {
  /** The bytes before `start`, which have to be verified again. */
  kept(signal: AbortSignal): AsyncIterable<Buffer>;
  /** Resolves when the bytes may be reused. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Gives the file its name. An equal file in a folder is kept. For an object, resolves to its version.
   * @param sha256 of the whole file.
   */
  publish(sha256: string): Promise<StoredVersion | undefined>;
  /**
   * Ends the writing; has no effect on a published file.
   * @param keeps whether a later run may use the bytes; an object store keeps none.
   */
  close(keeps: boolean): Promise<void>;
}

/** Where a run works: its destination, and what it has opened there. */
export interface RunPlace {
  readonly destination: Destination;
  readonly manifest: Manifest;
  /** Makes the names of part files unique to this run if another run works in the same folder. */
  readonly partSuffix: string | undefined;
  /** Set if the destination is read-only: the error to throw if a file must be downloaded. */
  readonly readOnly?: TickhaulError | undefined;
}

/** Membership in the runs of a destination. */
export interface RunMembership {
  /** Makes the names of part files private if another run holds the lock; undefined if not needed. */
  readonly partSuffix: string | undefined;
  /** Like `RunLock.lost`; undefined if no lock is held. */
  readonly lost: AbortSignal | undefined;
  /** For a folder: description of the other process that holds the lock, if any. */
  readonly other?: string | undefined;
  release(): Promise<void>;
}

/** The files of a destination at the time of the lookup. */
export interface FileLookup {
  has(path: string): boolean;
  get(path: string): StoredFileInfo | undefined;
}

/** A listed file, with its facts in an object store. */
export interface ListedEntry extends Partial<StoredFileInfo> {
  readonly path: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly modified?: number | undefined;
}

/** Membership in the runs of a folder, which may be read-only. */
export interface RunAccess extends RunMembership {
  /** Why the folder cannot be written; no lock is held then. Undefined if it can. */
  readonly readOnly?: TickhaulError | undefined;
}

/** System errors of a folder that is readable but not writable. */
const READ_ONLY: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM']);

/**
 * Joins the runs of a folder, but without a lock if the folder is read-only: a run without work needs none.
 * @param join joins the runs.
 * @throws any other error of `join`. If nothing was downloaded before, there is work, so the error is thrown
 * as well.
 */
export async function joinOrReadOnly(
  { locate }: Pick<Destination, 'locate'>,
  join: () => Promise<RunMembership>,
): Promise<RunAccess> {
  try {
    return await join();
  } catch (error) {
    const isDisk = error instanceof TickhaulError && error.code === 'disk';
    if (!isDisk || !isSystemError(error.cause) || !READ_ONLY.has(error.cause.code)) throw error;
    if (!existsSync(stateFolderPath(locate('')))) throw error;
    return { partSuffix: undefined, lost: undefined, readOnly: error, release: async () => {} };
  }
}
