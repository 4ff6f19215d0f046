/** A client counts as stalled if a write takes longer. */
const STALL_TIMEOUT_MS = 5000;

/** Detects a client that does not read. Writes are small, so the duration of the current one is enough. */
export class StallWatch {
  #writeStartMs: number | undefined;

  /** Whether the current write has taken longer than 5 s. */
  get isStalled(): boolean {
    return this.#writeStartMs !== undefined && performance.now() - this.#writeStartMs >= STALL_TIMEOUT_MS;
  }

  onWriteStart(): void {
    this.#writeStartMs = performance.now();
  }

  onWriteEnd(): void {
    this.#writeStartMs = undefined;
  }
}
