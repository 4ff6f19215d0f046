/** Longest time between two calls that counts: the replay waits while its tab is hidden. */
const MAX_STEP_MS = 250;

/** Current local time of a replay, which advances `speed` times as fast as real time. All times in milliseconds. */
export class ReplayClock {
  /** Infinity for as fast as possible. */
  speed: number;
  #position: number | undefined;
  #lastAdvanceMs: number | undefined;

  constructor(speed: number) {
    this.speed = speed;
  }

  /** Undefined before it is first set. */
  get position(): number | undefined {
    return this.#position;
  }

  set(position: number): void {
    this.#position = position;
  }

  /** Ignores the time until the next call of `advance`. */
  hold(): void {
    this.#lastAdvanceMs = undefined;
  }

  /** Advances the clock. @param now real time. @returns the local time up to which messages are due. */
  advance(now: number): number {
    const elapsedMs = Math.min(now - (this.#lastAdvanceMs ?? now), MAX_STEP_MS);
    this.#lastAdvanceMs = now;
    if (this.speed === Number.POSITIVE_INFINITY) return this.speed;
    this.#position = (this.#position ?? 0) + elapsedMs * this.speed;
    return this.#position;
  }
}
