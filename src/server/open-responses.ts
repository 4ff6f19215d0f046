import type { TickhaulError } from '../base/errors.js';

/** One of the answers. */
interface Underway {
  readonly work: Promise<void>;
  readonly isStalled: () => boolean;
}

/** Answers under way, so that the server's end can wait for them, and break off what takes longer. */
export class OpenResponses {
  readonly #underway = new Map<AbortController, Underway>();
  /** Those of them that never end by themselves. */
  readonly #endless = new Set<AbortController>();
  readonly #onIdle: () => void;
  #end: TickhaulError | undefined;

  /** @param onIdle called when the last of those under way ended. */
  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  /** Whether none is under way. */
  get isIdle(): boolean {
    return this.#underway.size === 0;
  }

  /**
   * Does the work of an answer.
   * @param stop is aborted where the answer has to end early.
   * @param isStalled whether its client takes nothing: then the server's end doesn't wait for it.
   */
  async run(
    stop: AbortController,
    work: () => Promise<void>,
    isStalled: () => boolean = () => false,
  ): Promise<void> {
    if (this.#end) stop.abort(this.#end);
    const working = work();
    this.#underway.set(stop, { work: working.catch(() => {}), isStalled });
    try {
      await working;
    } finally {
      this.#underway.delete(stop);
      if (this.isIdle) this.#onIdle();
    }
  }

  /** Does the work of an answer that goes on until it is stopped: the server's end doesn't wait for it. */
  async runEndless(stop: AbortController, work: () => Promise<void>): Promise<void> {
    this.#endless.add(stop);
    try {
      await this.run(stop, work);
    } finally {
      this.#endless.delete(stop);
    }
  }

  /** Waits for all responses and aborts those that are open after `graceMs`. Later ones end at once. */
  async end(graceMs: number, reason: TickhaulError): Promise<void> {
    const breakOff = (): void => {
      this.#end = reason;
      for (const stop of this.#underway.keys()) stop.abort(reason);
    };
    const timer = setTimeout(breakOff, graceMs);
    for (const stop of this.#endless) stop.abort(reason);
    for (const [stop, { isStalled }] of this.#underway) if (isStalled()) stop.abort(reason);
    while (this.#underway.size > 0) await Promise.all([...this.#underway.values()].map(({ work }) => work));
    clearTimeout(timer);
    this.#end = reason;
  }
}
