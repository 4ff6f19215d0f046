/** Memory budget that all replays of a process share: for text of slices read ahead, and for large buffers. */
export class TextBudget {
  /** Size of the whole budget. */
  readonly bytes: number;
  /** Free bytes; negative if more had to be reserved. */
  left: number;

  constructor(bytes: number) {
    this.bytes = bytes;
    this.left = bytes;
  }
}

/** The part of a budget that one reader has reserved. */
export class ReservedText {
  readonly #budget: TextBudget;
  #reserved = 0;
  #isClosed = false;

  constructor(budget: TextBudget) {
    this.#budget = budget;
  }

  get bytes(): number {
    return this.#reserved;
  }

  /** Reserves `bytes` if they are free. @returns whether they were. */
  tryReserve(bytes: number): boolean {
    if (this.#isClosed || bytes > this.#budget.left) return false;
    this.reserve(bytes);
    return true;
  }

  /** Reserves bytes that are already in memory, even beyond the budget. */
  reserve(bytes: number): void {
    if (this.#isClosed) return;
    this.#reserved += bytes;
    this.#budget.left -= bytes;
  }

  release(bytes: number): void {
    this.reserve(-bytes);
  }

  /** Releases everything; later reservations fail. */
  close(): void {
    this.release(this.#reserved);
    this.#isClosed = true;
  }
}
