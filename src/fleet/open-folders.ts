import type { Destination } from '../store/destination.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { ManifestScope } from '../store/manifest/scope.js';
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

interface Shared {
  readonly opening: Promise<OpenFolder>;
  users: number;
}

/**
 * The folders of a worker: each is open once, with its lock where that is free, from its first slice to its last. An idle
 * worker holds no lock.
 */
export class OpenFolders {
  readonly #openDestination: OpenDestination;
  readonly #owner: () => LockOwner;
  readonly #warn: (message: string) => void;
  readonly #noMore: AbortSignal;
  readonly #open = new Map<string, Shared>();
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
    this.#noMore = noMore;
  }

  /** @throws TickhaulError `disk`; what the work throws. */
  async use<T>(at: SliceDestination, work: (folder: OpenFolder) => Promise<T>): Promise<T> {
    const key = destinationKey(at);
    const shared = this.#open.get(key) ?? this.#share(key, at);
    shared.users++;
    try {
      return await work(await shared.opening);
    } finally {
      if (--shared.users === 0) {
        this.#leave(key, shared);
        const closing = shared.opening.then(
          (folder) => folder.close(),
          () => {},
        );
        this.#closing.set(key, closing);
        await closing.finally(() => {
          if (this.#closing.get(key) === closing) this.#closing.delete(key);
        });
      }
    }
  }

  #share(key: string, at: SliceDestination): Shared {
    const shared = { opening: this.#openAfter(key, at), users: 0 };
    this.#open.set(key, shared);
    // When it is another run's, whoever comes next opens it anew.
    shared.opening.then(
      ({ lost }) => lost?.addEventListener('abort', () => this.#leave(key, shared), { once: true }),
      () => {},
    );
    return shared;
  }

  #leave(key: string, shared: Shared): void {
    if (this.#open.get(key) === shared) this.#open.delete(key);
  }

  /** Not beside the one before: its lock would be taken for another run's. */
  async #openAfter(key: string, at: SliceDestination): Promise<OpenFolder> {
    await this.#closing.get(key)?.catch(() => {});
    return this.#openFolder(at);
  }

  async #openFolder(at: SliceDestination): Promise<OpenFolder> {
    const signal = this.#noMore;
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
