import type { Destination, ManifestScope } from '../store/destination.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { Manifest } from '../store/manifest/manifest.js';

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

/** Opens the destination of a slice, by its name. */
export type OpenDestination = (name: string) => Promise<Destination>;

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
  readonly #open = new Map<string, Shared>();
  readonly #closing = new Map<string, Promise<void>>();

  constructor(open: OpenDestination, owner: () => LockOwner, warn: (message: string) => void) {
    this.#openDestination = open;
    this.#owner = owner;
    this.#warn = warn;
  }

  /** @throws TickhaulError `disk`; what the work throws. */
  async use<T>(dir: string, work: (folder: OpenFolder) => Promise<T>): Promise<T> {
    const shared = this.#open.get(dir) ?? this.#share(dir);
    shared.users++;
    try {
      return await work(await shared.opening);
    } finally {
      if (--shared.users === 0) {
        this.#leave(dir, shared);
        const closing = shared.opening.then(
          (folder) => folder.close(),
          () => {},
        );
        this.#closing.set(dir, closing);
        await closing.finally(() => {
          if (this.#closing.get(dir) === closing) this.#closing.delete(dir);
        });
      }
    }
  }

  #share(dir: string): Shared {
    const shared = { opening: this.#openAfter(dir), users: 0 };
    this.#open.set(dir, shared);
    // When it is another run's, whoever comes next opens it anew.
    shared.opening.then(
      ({ lost }) => lost?.addEventListener('abort', () => this.#leave(dir, shared), { once: true }),
      () => {},
    );
    return shared;
  }

  #leave(dir: string, shared: Shared): void {
    if (this.#open.get(dir) === shared) this.#open.delete(dir);
  }

  /** Not beside the one before: its lock would be taken for another run's. */
  async #openAfter(dir: string): Promise<OpenFolder> {
    await this.#closing.get(dir)?.catch(() => {});
    return this.#openFolder(dir);
  }

  async #openFolder(dir: string): Promise<OpenFolder> {
    const destination = await this.#openDestination(dir);
    try {
      const { partSuffix, lost, release } = await destination.joinRun(this.#owner());
      try {
        const options = { warn: this.#warn };
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
