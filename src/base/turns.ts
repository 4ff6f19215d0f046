import { abortReason } from './errors.js';
import { orAborted } from './wait.js';

/** Lets works of the same name follow each other. */
export interface TurnTaking {
  /**
   * @param work given what the one before it noted, where that is known.
   * @param noteOf what is noted of its result.
   * @throws what the work throws; the reason of an abort, also while it waits for its turn.
   */
  run<T>(
    name: string,
    signal: AbortSignal,
    work: (note?: number) => Promise<T>,
    noteOf?: (result: T) => number | undefined,
  ): Promise<T>;
}

/** Those of this process, where nothing is noted. */
export class Turns implements TurnTaking {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const working = (async () => {
      // Who leaves while it waits is let go at once; who comes after it waits for the one before.
      await orAborted(before, signal);
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
