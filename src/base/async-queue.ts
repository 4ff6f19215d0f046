/** Values on their way to one reader, in order. */
export class AsyncQueue<T> {
  readonly #values: T[];
  #end: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(values: readonly T[] = []) {
    this.#values = [...values];
  }

  push(value: T): void {
    this.#values.push(value);
    this.#wake?.();
  }

  /** No more values come; with an error, reading throws it once the values so far are read. The first end counts. */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** The next value; undefined at the end. Calls must not overlap. */
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
