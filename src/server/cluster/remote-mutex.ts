import { Semaphore } from '../../base/semaphore.js';
import { onAbort } from '../../base/wait.js';

interface RemoteLock {
  readonly semaphore: Semaphore;
  /** The worker that holds the lock; `ended` identifies it. */
  holder?: { readonly ended: AbortSignal; release(): void } | undefined;
}

/** Limits memory: only the latest notes are needed. */
const MAX_NOTES = 10_000;

/** Locks by key for several worker processes. Each holder can leave a number (note) for the next holder. */
export class RemoteMutex {
  readonly #locks = new Map<string, RemoteLock>();
  readonly #notes = new Map<string, number>();

  /**
   * Acquires a lock and resolves with the note of the previous holder. The lock is held until `release`, or until the
   * worker has ended. The promise of a worker that ends while it waits never resolves.
   */
  acquire(key: string, ended: AbortSignal): Promise<number | undefined> {
    const lock = this.#locks.get(key) ?? { semaphore: new Semaphore(1) };
    this.#locks.set(key, lock);
    return new Promise((resolve) => {
      lock.semaphore.acquire(1, ended).then(
        (releaseSemaphore) => {
          const release = (): void => {
            lock.holder = undefined;
            ended.removeEventListener('abort', release);
            releaseSemaphore();
            this.#deleteIfIdle(key, lock);
          };
          lock.holder = { ended, release };
          onAbort(ended, release);
          resolve(this.#notes.get(key));
        },
        () => this.#deleteIfIdle(key, lock),
      );
    });
  }

  /** Releases the lock if this worker holds it. */
  release(key: string, ended: AbortSignal, note: number | undefined): void {
    const holder = this.#locks.get(key)?.holder;
    if (holder?.ended !== ended) return;
    if (note !== undefined) this.#addNote(key, note);
    holder.release();
  }

  #deleteIfIdle(key: string, lock: RemoteLock): void {
    if (lock.semaphore.isIdle && this.#locks.get(key) === lock) this.#locks.delete(key);
  }

  #addNote(key: string, note: number): void {
    this.#notes.set(key, note);
    const [oldest = key] = this.#notes.keys();
    if (this.#notes.size > MAX_NOTES) this.#notes.delete(oldest);
  }
}
