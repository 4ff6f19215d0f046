import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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

/** Time without open responses after which memory is freed. Idle threads have ended by then, too. */
const IDLE_MS = 6_000;
const SECOND_COLLECTION_MS = 500;

/**
 * Frees the memory of past responses once no response is open for a while: V8 collects garbage when something is
 * allocated, and an idle server allocates nothing.
 * @returns a function to call whenever the last open response has ended.
 */
export function createIdleMemory(isIdle: () => boolean): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      if (!isIdle()) return;
      collectGarbage();
      // Memory of ports and sockets becomes garbage only after their close was handled.
      setTimeout(collectGarbage, SECOND_COLLECTION_MS).unref();
    }, IDLE_MS).unref();
    timer.refresh();
  };
}

/** Node exposes the collection only with a flag, which may be set while the process runs. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
