/** The latest of many values, up to a number of them. */
export class Ring<T> {
  readonly #values: T[] = [];
  readonly #most: number;
  /** Where the next one goes, once it is full: the place of the oldest. */
  #next = 0;

  constructor(most: number) {
    this.#most = most;
  }

  push(value: T): void {
    if (this.#values.length < this.#most) this.#values.push(value);
    else {
      this.#values[this.#next] = value;
      this.#next = (this.#next + 1) % this.#most;
    }
  }

  /** The latest first. */
  latest(): readonly T[] {
    const inOrder = [...this.#values.slice(this.#next), ...this.#values.slice(0, this.#next)];
    return inOrder.reverse();
  }
}
