import { onAbort } from '../base/wait.js';
import { toRunFailure } from '../run/run-failure.js';
import type { Destination } from '../store/destination.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { ManifestScope } from '../store/manifest/manifest-scope.js';
import { destinationKey, type SliceDestination } from './slice-job.js';

/** A destination in which slices are worked on. */
export interface OpenFolder {
  readonly destination: Destination;
  /** Does some work with the records of a slice: those of a store are read by their parts, a folder's once. */
  withManifest<T>(scope: ManifestScope, work: (manifest: Manifest) => Promise<T>): Promise<T>;
  /** Makes part names private to this worker, where another run holds the folder's lock. */
  readonly partSuffix: string | undefined;
  /** Aborted when another run took the lock. */
  readonly lost: AbortSignal | undefined;
  close(): Promise<void>;
}

/** Opens where the files of a slice belong. */
export type OpenDestination = (at: SliceDestination, signal: AbortSignal) => Promise<Destination>;

interface PooledFolder {
  readonly opening: Promise<OpenFolder>;
  users: number;
  /** Closes it, as nobody uses it. */
  closer?: NodeJS.Timeout;
}

/** Milliseconds that a folder stays open without a slice: mostly the next one is on its way. */
const LINGER_MS = 1000;

/**
 * The folders of a worker: each is open once, with its lock where that is free, from its first slice to its last. An idle
 * worker soon holds no lock.
 */
export class FolderPool {
  readonly #openDestination: OpenDestination;
  readonly #owner: () => LockOwner;
  readonly #warn: (message: string) => void;
  readonly #stopStarting: AbortSignal;
  readonly #open = new Map<string, PooledFolder>();
  readonly #closing = new Map<string, Promise<void>>();

  /** @param noMore ends what comes before work and after it: opening, and compaction of a manifest. */
  constructor(
    open: OpenDestination,
    owner: () => LockOwner,
    warn: (message: string) => void,
    noMore: AbortSignal,
  ) {
    this.#openDestination = open;
    this.#owner = owner;
    this.#warn = warn;
    this.#stopStarting = noMore;
  }

  /** @throws TickhaulError `disk`; what the work throws. */
  async use<T>(at: SliceDestination, work: (folder: OpenFolder) => Promise<T>): Promise<T> {
    const key = destinationKey(at);
    const shared = this.#open.get(key) ?? this.#add(key, at);
    shared.users++;
    clearTimeout(shared.closer);
    try {
      return await work(await shared.opening);
    } finally {
      if (--shared.users === 0) {
        const isWanted = this.#open.get(key) === shared;
        if (isWanted) shared.closer = setTimeout(() => void this.#close(key, shared), LINGER_MS);
        else await this.#close(key, shared);
      }
    }
  }

  /** Closes those that nobody uses. */
  async close(): Promise<void> {
    for (const [key, shared] of this.#open) if (shared.users === 0) void this.#close(key, shared);
    await Promise.all(this.#closing.values());
  }

  #add(key: string, at: SliceDestination): PooledFolder {
    const shared = { opening: this.#openAfter(key, at), users: 0 };
    this.#open.set(key, shared);
    // When it is another run's, or could not be opened, whoever comes next opens it anew.
    const leave = (): void => {
      if (shared.users > 0) this.#remove(key, shared);
      else if (this.#open.get(key) === shared) void this.#close(key, shared);
    };
    shared.opening.then(({ lost }) => {
      if (lost) onAbort(lost, leave);
    }, leave);
    return shared;
  }

  #remove(key: string, shared: PooledFolder): void {
    if (this.#open.get(key) === shared) this.#open.delete(key);
  }

  /** What it brought is recorded by then: an end that fails is only told. */
  #close(key: string, shared: PooledFolder): Promise<void> {
    clearTimeout(shared.closer);
    this.#remove(key, shared);
    const warn = (error: unknown): void => this.#warn(toRunFailure(error).error.message);
    // One that was lost may end after the one that came for it.
    const before = this.#closing.get(key);
    const closing: Promise<void> = shared.opening
      .then(
        (folder) => folder.close(),
        () => {},
      )
      .catch(warn)
      .then(() => before)
      .finally(() => {
        if (this.#closing.get(key) === closing) this.#closing.delete(key);
      });
    this.#closing.set(key, closing);
    return closing;
  }

  /** Not beside the one before: its lock would be taken for another run's. */
  async #openAfter(key: string, at: SliceDestination): Promise<OpenFolder> {
    await this.#closing.get(key);
    return this.#openFolder(at);
  }

  async #openFolder(at: SliceDestination): Promise<OpenFolder> {
    const signal = this.#stopStarting;
    const destination = await this.#openDestination(at, signal);
    try {
      const { partSuffix, lost, release } = await destination.joinRun(this.#owner(), { signal });
      try {
        const options = { warn: this.#warn, signal };
        const ofAll = destination.kind === 'folder' ? await destination.openManifest(options) : undefined;
        return {
          destination,
          async withManifest(scope, work) {
            if (ofAll) return work(ofAll);
            const manifest = await destination.openManifest(options, scope);
            return work(manifest).finally(() => manifest.close());
          },
          partSuffix,
          lost,
          async close() {
            await ofAll?.close();
            await release();
            await destination.close();
          },
        };
      } catch (error) {
        await release();
        throw error;
      }
    } catch (error) {
      await destination.close();
      throw error;
    }
  }
}
