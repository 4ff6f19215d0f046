import { abortReason } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';

interface RemoteLock {
  readonly gone: AbortSignal;
  end(): void;
}

/** Who has turns at the same time needs the latest. */
const MAX_NOTES = 10_000;

/** Works of several workers, where those of the same name follow each other. */
export class RemoteMutex {
  readonly #turns = new LocalMutex();
  readonly #notes = new Map<string, number>();
  readonly #lent = new Map<string, RemoteLock>();

  /**
   * Resolves when it is a worker's turn, which lasts until it gives it back, or is gone, with what the one before noted.
   */
  take(work: string, gone: AbortSignal): Promise<number | undefined> {
    return new Promise((resolve) => {
      const turn = (): Promise<void> => {
        const ended = new Promise<void>((end) => this.#lent.set(work, { gone, end }));
        resolve(this.#notes.get(work));
        return rejectOnAbort(ended, gone);
      };
      // One that is gone has no turn, or loses it.
      this.#turns.run(work, gone, turn).catch(() => {});
    });
  }

  giveBack(work: string, gone: AbortSignal, note: number | undefined): void {
    const lent = this.#lent.get(work);
    if (lent?.gone !== gone) return;
    this.#lent.delete(work);
    if (note !== undefined) this.#note(work, note);
    lent.end();
  }

  #note(work: string, note: number): void {
    this.#notes.set(work, note);
    const [oldest = work] = this.#notes.keys();
    if (this.#notes.size > MAX_NOTES) this.#notes.delete(oldest);
  }
}

/** Works of the same name, one after the other. */
class LocalMutex {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const working = (async () => {
      // Who leaves while it waits is let go at once; who comes after it waits for the one before.
      await rejectOnAbort(before, signal);
      if (signal.aborted) throw abortReason(signal);
      return work();
    })();
    const done = working.then(
      () => {},
      () => before,
    );
    this.#last.set(name, done);
    // Not when it leaves: the one before it may still be at work.
    void done.then(() => {
      if (this.#last.get(name) === done) this.#last.delete(name);
    });
    return working;
  }
}
