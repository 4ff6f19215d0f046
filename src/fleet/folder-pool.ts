import { TickhaulError } from '../base/errors.js';
import { onAbort } from '../base/wait.js';
import { toRunFailure } from '../events/run-failure.js';
import type { Destination } from '../store/destination.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { Manifest, ManifestScope } from '../store/manifest/manifest.js';
import { destinationKey, type SliceDestination } from './slice-job.js';

/** An open destination of slices. */
export interface OpenFolder {
  readonly destination: Destination;
  /** Runs work with the records of a slice. A store's records are read per call, those of a folder once. */
  withManifest<T>(scope: ManifestScope, work: (manifest: Manifest) => Promise<T>): Promise<T>;
  /** Suffix of this worker's part files if another run holds the folder's lock. */
  readonly partSuffix: string | undefined;
  /** Aborted if another run takes the lock. */
  readonly lost: AbortSignal | undefined;
  close(): Promise<void>;
}

/** State file of a destination for which a queue was filled. */
const QUEUE_STATE = 'queue.json';

/** Marks a destination, so that workers recognize it. @throws errors of the destination. */
export async function markDestination(destination: Destination, signal: AbortSignal): Promise<void> {
  await destination.writeState(QUEUE_STATE, '{}\n', signal);
}

/** A machine on which a shared folder is not mounted would otherwise fill its own disk. */
async function assertMarked({ name, readState }: Destination, signal: AbortSignal): Promise<void> {
  if ((await readState(QUEUE_STATE, signal)) !== undefined) return;
  throw new TickhaulError(
    'disk',
    `${name}: no queue was filled for this folder; check that it is the folder of tickhaul enqueue, on this machine too`,
  );
}

export type OpenDestination = (at: SliceDestination, signal: AbortSignal) => Promise<Destination>;

interface PooledFolder {
  readonly opening: Promise<OpenFolder>;
  users: number;
  /** Closes the folder after `LINGER_MS` without use. */
  closer?: NodeJS.Timeout;
}

/** Milliseconds that a folder stays open without a slice, since the next slice usually follows at once. */
const LINGER_MS = 1000;

/**
 * The folders of a worker. Each is open once, with its lock if that is free, while slices use it. So an idle worker
 * soon holds no lock.
 */
export class FolderPool {
  readonly #openDestination: OpenDestination;
  readonly #owner: () => LockOwner;
  readonly #warn: (message: string) => void;
  readonly #stopStarting: AbortSignal;
  readonly #open = new Map<string, PooledFolder>();
  readonly #closing = new Map<string, Promise<void>>();

  /** @param stopStarting aborts what precedes and follows the work: opening, and compaction of a manifest. */
  constructor(
    open: OpenDestination,
    owner: () => LockOwner,
    warn: (message: string) => void,
    stopStarting: AbortSignal,
  ) {
    this.#openDestination = open;
    this.#owner = owner;
    this.#warn = warn;
    this.#stopStarting = stopStarting;
  }

  /** Runs work with a folder, which is opened if necessary. @throws TickhaulError `disk`, also for one without mark; errors of the work. */
  async use<T>(at: SliceDestination, work: (folder: OpenFolder) => Promise<T>): Promise<T> {
    const key = destinationKey(at);
    const pooled = this.#open.get(key) ?? this.#add(key, at);
    pooled.users++;
    clearTimeout(pooled.closer);
    try {
      return await work(await pooled.opening);
    } finally {
      if (--pooled.users === 0) {
        const isCurrent = this.#open.get(key) === pooled;
        if (isCurrent) pooled.closer = setTimeout(() => void this.#close(key, pooled), LINGER_MS);
        else await this.#close(key, pooled);
      }
    }
  }

  /** Closes the folders that are not in use. */
  async close(): Promise<void> {
    for (const [key, pooled] of this.#open) if (pooled.users === 0) void this.#close(key, pooled);
    await Promise.all(this.#closing.values());
  }

  #add(key: string, at: SliceDestination): PooledFolder {
    const pooled = { opening: this.#openAfter(key, at), users: 0 };
    this.#open.set(key, pooled);
    // After a lost lock or a failed opening, the next use opens the folder again.
    const discard = (): void => {
      if (pooled.users > 0) this.#remove(key, pooled);
      else if (this.#open.get(key) === pooled) void this.#close(key, pooled);
    };
    pooled.opening.then(({ lost }) => {
      if (lost) onAbort(lost, discard);
    }, discard);
    return pooled;
  }

  #remove(key: string, pooled: PooledFolder): void {
    if (this.#open.get(key) === pooled) this.#open.delete(key);
  }

  /** Files are recorded by then, so an error of closing is only a warning. */
  #close(key: string, pooled: PooledFolder): Promise<void> {
    clearTimeout(pooled.closer);
    this.#remove(key, pooled);
    const warn = (error: unknown): void => this.#warn(toRunFailure(error).error.message);
    // A folder whose lock was lost may close after its successor.
    const previous = this.#closing.get(key);
    const closing: Promise<void> = pooled.opening
      .then(
        (folder) => folder.close(),
        () => {},
      )
      .catch(warn)
      .then(() => previous)
      .finally(() => {
        if (this.#closing.get(key) === closing) this.#closing.delete(key);
      });
    this.#closing.set(key, closing);
    return closing;
  }

  /** Waits until the previous one is closed: otherwise its lock would look like that of another run. */
  async #openAfter(key: string, at: SliceDestination): Promise<OpenFolder> {
    await this.#closing.get(key);
    return this.#openFolder(at);
  }

  async #openFolder(at: SliceDestination): Promise<OpenFolder> {
    const signal = this.#stopStarting;
    const destination = await this.#openDestination(at, signal);
    try {
      await assertMarked(destination, signal);
      const { partSuffix, lost, release } = await destination.joinRun(this.#owner(), { signal });
      try {
        const options = { warn: this.#warn, signal };
        const sharedManifest = destination.hasLocalPaths
          ? await destination.openManifest(options)
          : undefined;
        return {
          destination,
          async withManifest(scope, work) {
            if (sharedManifest) return work(sharedManifest);
            const manifest = await destination.openManifest(options, scope);
            return work(manifest).finally(() => manifest.close());
          },
          partSuffix,
          lost,
          async close() {
            const closed = sharedManifest?.close() ?? Promise.resolve();
            await closed.finally(release).finally(() => destination.close());
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
