/** A first-in, first-out queue with one reader. */
export class AsyncQueue<T> {
  readonly #values: T[];
  #end: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(values: readonly T[] = []) {
    this.#values = [...values];
  }

  /** Number of values that can be read at once. */
  get length(): number {
    return this.#values.length;
  }

  push(value: T): void {
    this.#values.push(value);
    this.#wake?.();
  }

  /**
   * Ends the queue. With an error, `next` throws it once all values are read. Only the first call has an
   * effect.
   */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** Resolves to the next value, or undefined at the end. Calls must not overlap. */
  async next(): Promise<T | undefined> {
    while (this.#values.length === 0 && !this.#end) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const value = this.#values.shift();
    if (value === undefined && this.#end?.error !== undefined) throw this.#end.error;
    return value;
  }
}
