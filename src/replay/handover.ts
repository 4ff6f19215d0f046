/**
 * What a producer makes, as something to be pulled: it works at most as far ahead as it has buffers, begins when it is
 * first asked, and what it throws comes after what it gave before.
 * @param buffers used again and again: one is the reader's until it asks for the next.
 * @param produce gives full buffers to `exchange`, which answers with an empty one; undefined for the first. `stopped`
 *   tells that nobody reads on.
 */
export function createHandover<B>(
  buffers: readonly B[],
  produce: (exchange: (full: B | undefined) => Promise<B>, stopped: AbortSignal) => Promise<void>,
): AsyncIterable<B> {
  return {
    [Symbol.asyncIterator]: () => new Handover(buffers, produce),
  };
}

class Handover<B> implements AsyncIterator<B> {
  readonly #free: B[];
  readonly #full: B[] = [];
  readonly #stop = new AbortController();
  readonly #produce: (exchange: (full: B | undefined) => Promise<B>, stopped: AbortSignal) => Promise<void>;
  #producing: Promise<void> | undefined;
  #lent: B | undefined;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeProducer: (() => void) | undefined;

  constructor(
    buffers: readonly B[],
    produce: (exchange: (full: B | undefined) => Promise<B>, stopped: AbortSignal) => Promise<void>,
  ) {
    this.#free = [...buffers];
    this.#produce = produce;
  }

  async next(): Promise<IteratorResult<B, undefined>> {
    if (this.#lent !== undefined) this.#free.push(this.#lent);
    this.#lent = undefined;
    this.#wakeProducer?.();
    this.#producing ??= this.#run();
    while (this.#full.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
    }
    this.#lent = this.#full.shift();
    if (this.#lent !== undefined) return { done: false, value: this.#lent };
    if (this.#failure) throw this.#failure.error;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<B, undefined>> {
    this.#stop.abort();
    this.#wakeProducer?.();
    await this.#producing;
    return { done: true, value: undefined };
  }

  async #run(): Promise<void> {
    try {
      await this.#produce((full) => this.#exchange(full), this.#stop.signal);
    } catch (error) {
      this.#failure = { error };
    }
    this.#isOver = true;
    this.#wakeReader?.();
  }

  async #exchange(full: B | undefined): Promise<B> {
    if (full !== undefined) this.#full.push(full);
    this.#wakeReader?.();
    for (;;) {
      this.#stop.signal.throwIfAborted();
      const free = this.#free.shift();
      if (free !== undefined) return free;
      await new Promise<void>((resolve) => {
        this.#wakeProducer = resolve;
      });
    }
  }
}
