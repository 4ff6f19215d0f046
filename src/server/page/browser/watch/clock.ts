/** Milliseconds between two looks that count: in a tab that is hidden nobody looks, and the replay waits. */
const LONGEST_STEP = 250;

/** The local time at which a replay stands; it runs `speed` times as fast as that of the reader. In milliseconds. */
export class ReplayClock {
  /** Infinity for as fast as it goes. */
  speed: number;
  #position: number | undefined;
  #lookedAt: number | undefined;

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

  /** Time that passes until the next look doesn't count. */
  hold(): void {
    this.#lookedAt = undefined;
  }

  /** Moves on. @returns the local time up to which messages are due. @param now of the reader. */
  advance(now: number): number {
    const passed = Math.min(now - (this.#lookedAt ?? now), LONGEST_STEP);
    this.#lookedAt = now;
    if (this.speed === Number.POSITIVE_INFINITY) return this.speed;
    this.#position = (this.#position ?? 0) + passed * this.speed;
    return this.#position;
  }
}
