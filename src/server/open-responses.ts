import type { TickhaulError } from '../base/errors.js';

interface OpenResponse {
  readonly work: Promise<void>;
  readonly isStalled: () => boolean;
}

/** Responses in flight. At shutdown the server waits for them and aborts those that take too long. */
export class OpenResponses {
  readonly #open = new Map<AbortController, OpenResponse>();
  /** Responses that end only if they are aborted. */
  readonly #endless = new Set<AbortController>();
  readonly #onIdle: () => void;
  #end: TickhaulError | undefined;

  /** @param onIdle called when the last response in flight has ended. */
  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /**
   * Runs the work of a response.
   * @param stop aborted if the response must end early.
   * @param isStalled whether the client reads nothing: shutdown does not wait for such a response.
   */
  async run(
    stop: AbortController,
    work: () => Promise<void>,
    isStalled: () => boolean = () => false,
  ): Promise<void> {
    if (this.#end) stop.abort(this.#end);
    const working = work();
    this.#open.set(stop, { work: working.catch(() => {}), isStalled });
    try {
      await working;
    } finally {
      this.#open.delete(stop);
      if (this.isIdle) this.#onIdle();
    }
  }

  /** Runs the work of a response that ends only if it is aborted, for which shutdown does not wait. */
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
    const abortAll = (): void => {
      this.#end = reason;
      for (const stop of this.#open.keys()) stop.abort(reason);
    };
    const timer = setTimeout(abortAll, graceMs);
    for (const stop of this.#endless) stop.abort(reason);
    for (const [stop, { isStalled }] of this.#open) if (isStalled()) stop.abort(reason);
    while (this.#open.size > 0) await Promise.all([...this.#open.values()].map(({ work }) => work));
    clearTimeout(timer);
    this.#end = reason;
  }
}
