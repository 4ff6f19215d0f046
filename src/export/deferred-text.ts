import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TextSink } from '../integrity/gunzip.js';

/** Passes texts on a turn later, so that zlib inflates the next one at the same time. */
export class DeferredText {
  readonly #sink: TextSink;
  #passing: Promise<void> = Promise.resolve();

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  /** Resolves when the text before this one was passed on. @throws errors of the sink. */
  push(text: Buffer): Promise<void> {
    const before = this.#passing;
    const copy = Buffer.from(text);
    this.#passing = before.then(nextTurn).then(() => this.#sink(copy));
    // The next call, or the end, throws it.
    this.#passing.catch(() => {});
    return before;
  }

  /** Resolves when all texts were passed on. @throws errors of the sink. */
  end(): Promise<void> {
    return this.#passing;
  }
}
