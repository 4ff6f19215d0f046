const MAX_ENTRIES = 10_000;

/** A map that drops its oldest entries, so that a long-running service does not grow. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>();

  constructor(readonly maxEntries = MAX_ENTRIES) {}

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    this.#entries.set(key, value);
    if (this.#entries.size <= this.maxEntries) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  values(): Iterable<Value> {
    return this.#entries.values();
  }
}
