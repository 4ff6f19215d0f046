/** Milliseconds without anything taken after which a client counts as stalled. */
const STALLED_MS = 5000;

/** Notices a client that takes nothing of what is written to it. Writes are small, so one that waits says enough. */
export class StallWatch {
  #writingSince: number | undefined;

  /** Whether a write has waited for 5 s. */
  get isStalled(): boolean {
    return this.#writingSince !== undefined && performance.now() - this.#writingSince >= STALLED_MS;
  }

  /** A write begins. */
  begin(): void {
    this.#writingSince = performance.now();
  }

  /** It was taken. */
  end(): void {
    this.#writingSince = undefined;
  }
}
