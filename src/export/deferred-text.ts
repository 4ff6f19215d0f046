import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TextSink } from '../integrity/gunzip.js';

/** Passes texts on a turn later, so that zlib inflates the next one at the same time. */
export class DeferredText {
  readonly #sink: TextSink;
  #passing: Promise<void> = Promise.resolve();
  /** Memory of the text that is passed on, and of the one that waits. */
  #free = Buffer.alloc(0);
  #used = Buffer.alloc(0);

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  /** Resolves when the text before this one was passed on; await it before the next call. @throws errors of the sink. */
  push(text: Buffer): Promise<void> {
    const before = this.#passing;
    const memory = this.#free.length < text.length ? Buffer.allocUnsafeSlow(text.length) : this.#free;
    [this.#free, this.#used] = [this.#used, memory];
    text.copy(memory);
    const copy = memory.subarray(0, text.length);
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
