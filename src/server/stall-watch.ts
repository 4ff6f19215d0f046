/** Duration of a write after which a client counts as stalled. */
const STALLED_MS = 5000;

/** Detects a client that does not read. Writes are small, so a single slow one is enough. */
export class StallWatch {
  #writingSince: number | undefined;

  get isStalled(): boolean {
    return this.#writingSince !== undefined && performance.now() - this.#writingSince >= STALLED_MS;
  }

  /** Call before a write. */
  begin(): void {
    this.#writingSince = performance.now();
  }

  /** Call after the write. */
  end(): void {
    this.#writingSince = undefined;
  }
}
