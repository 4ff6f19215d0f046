const MAX_ENTRIES = 10_000;

/** A map that drops the least recently used entries, so that a long-running service does not grow. */
export class LruMap<Value> {
  /** The least recently used entry comes first. */
  readonly #entries = new Map<string, Value>();
  #size = 0;

  /**
   * @param maxSize limit of the sum of all sizes; by default that of the number of entries.
   * @param sizeOf size of an entry, 1 by default. Entries of size 0 are never dropped.
   */
  constructor(
    readonly maxSize = MAX_ENTRIES,
    readonly sizeOf: (value: Value) => number = () => 1,
  ) {}

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#size += this.sizeOf(value);
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.maxSize) return;
      if (this.sizeOf(entry) > 0) this.delete(oldest);
    }
  }

  delete(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#size -= this.sizeOf(value);
  }

  values(): Iterable<Value> {
    return this.#entries.values();
  }
}
