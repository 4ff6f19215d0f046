import { abortReason } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';

interface RemoteLock {
  readonly gone: AbortSignal;
  end(): void;
}

/** Limits memory: only the latest notes are needed. */
const MAX_NOTES = 10_000;

/** Locks by name for several worker processes. Each holder can leave a number (note) for the next holder. */
export class RemoteMutex {
  readonly #mutex = new LocalMutex();
  readonly #notes = new Map<string, number>();
  readonly #locks = new Map<string, RemoteLock>();

  /**
   * Acquires a lock and resolves with the note of the previous holder. The lock is held until `release`, or until the
   * worker has ended, which aborts `gone`.
   */
  acquire(work: string, gone: AbortSignal): Promise<number | undefined> {
    return new Promise((resolve) => {
      const turn = (): Promise<void> => {
        const ended = new Promise<void>((end) => this.#locks.set(work, { gone, end }));
        resolve(this.#notes.get(work));
        return rejectOnAbort(ended, gone);
      };
      // If the worker ends, it never gets the lock, or loses it.
      this.#mutex.run(work, gone, turn).catch(() => {});
    });
  }

  release(work: string, gone: AbortSignal, note: number | undefined): void {
    const lock = this.#locks.get(work);
    if (lock?.gone !== gone) return;
    this.#locks.delete(work);
    if (note !== undefined) this.#note(work, note);
    lock.end();
  }

  #note(work: string, note: number): void {
    this.#notes.set(work, note);
    const [oldest = work] = this.#notes.keys();
    if (this.#notes.size > MAX_NOTES) this.#notes.delete(oldest);
  }
}

/** Runs tasks of the same name one after the other. */
class LocalMutex {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(name) ?? Promise.resolve();
    const current = (async () => {
      // An aborted task stops waiting at once; the next task still waits for the previous one.
      await rejectOnAbort(previous, signal);
      if (signal.aborted) throw abortReason(signal);
      return work();
    })();
    const done = current.then(
      () => {},
      () => previous,
    );
    this.#last.set(name, done);
    // Not on abort: the previous task may still be running.
    void done.then(() => {
      if (this.#last.get(name) === done) this.#last.delete(name);
    });
    return current;
  }
}
