/** Keeps the latest values up to a capacity. */
export class RingBuffer<T> {
  readonly #values: T[] = [];
  readonly #capacity: number;
  /** Index of the oldest value once the buffer is full. */
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(value: T): void {
    if (this.#values.length < this.#capacity) this.#values.push(value);
    else {
      this.#values[this.#next] = value;
      this.#next = (this.#next + 1) % this.#capacity;
    }
  }

  /** The values, latest first. */
  latest(): readonly T[] {
    const inOrder = [...this.#values.slice(this.#next), ...this.#values.slice(0, this.#next)];
    return inOrder.reverse();
  }
}
