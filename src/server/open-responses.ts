import type { TickhaulError } from '../base/errors.js';

/** An open response. */
interface OpenResponse {
  readonly work: Promise<void>;
  readonly isStalled: () => boolean;
}

/** Open responses. When the server ends, it waits for them and aborts those that take too long. */
export class OpenResponses {
  readonly #open = new Map<AbortController, OpenResponse>();
  /** Responses that never end by themselves. */
  readonly #endless = new Set<AbortController>();
  readonly #onIdle: () => void;
  #end: TickhaulError | undefined;

  /** @param onIdle called when the last open response has ended. */
  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  /** Whether no response is open. */
  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /**
   * Runs the work of a response.
   * @param stop is aborted if the response has to end early.
   * @param isStalled whether the client does not read; the end of the server does not wait for such a client.
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

  /** Runs the work of a response without an end; the end of the server does not wait for it. */
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
