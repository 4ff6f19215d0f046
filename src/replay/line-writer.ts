import { pageMemory } from '../base/memory.js';
import { wait } from '../base/wait.js';
import { type LineSink, type WrittenCounts, writeLines } from '../market/lines/line-buffer.js';
import type { TimedBatch, TimeMerge } from '../market/time-merge.js';

/** Size of one write of many small lines. */
export const WRITE_BYTES = 512 * 1024;

/**
 * Collects lines into large writes. A caller copies a line that fits into `bytes` at `length`, then calls
 * `add`.
 */
export class LineWriter {
  readonly bytes: Uint8Array;
  length = 0;
  #messages = 0;
  readonly #output: LineSink;
  readonly #written: WrittenCounts;

  /** @param size bytes of one write; 512 KB by default. */
  constructor(output: LineSink, written: WrittenCounts, size?: number) {
    this.bytes = size === undefined ? new Uint8Array(WRITE_BYTES) : pageMemory(size);
    this.#output = output;
    this.#written = written;
  }

  /** Whether `size` bytes fit before the next flush. */
  fits(size: number): boolean {
    return this.length + size <= this.bytes.length;
  }

  /** Accounts for `size` bytes that were copied to `length`. */
  add(size: number, messages: number): void {
    this.length += size;
    this.#messages += messages;
  }

  /**
   * Writes lines after those collected so far, without a copy. `bytes` may be overwritten once the promise
   * resolves.
   */
  async write(bytes: Uint8Array, messages: number): Promise<void> {
    await this.flush();
    await writeLines(this.#output, bytes, messages, this.#written);
  }

  async flush(): Promise<void> {
    if (this.length === 0) return;
    const bytes = this.bytes.subarray(0, this.length);
    const messages = this.#messages;
    // Reset first: after a failed write the same lines must not be written again.
    this.length = 0;
    this.#messages = 0;
    await writeLines(this.#output, bytes, messages, this.#written);
  }
}

/** How long collected lines wait for more before they are written. */
const FLUSH_DELAY_MS = 20;

/**
 * Fills a merge. If a slow source delays that, the lines collected so far are written meanwhile.
 * @param flush writes the collected lines.
 * @throws what an input throws; what `flush` throws.
 */
export async function fillOrFlush<B extends TimedBatch>(
  merge: TimeMerge<B>,
  flush: () => Promise<void>,
): Promise<boolean> {
  const filling = merge.fill();
  let patience: NodeJS.Timeout | undefined;
  const isSlow = new Promise<boolean>((resolve) => {
    patience = setTimeout(resolve, FLUSH_DELAY_MS, true);
  });
  try {
    if (await Promise.race([filling.then(() => false), isSlow])) await flush();
  } finally {
    clearTimeout(patience);
  }
  return filling;
}

/** Resolves when a line is due. @param localTimestamp microseconds since any fixed time. */
export type Pace = (localTimestamp: number) => Promise<void>;

/**
 * Creates a pace that replays the recorded intervals between lines, divided by `speed`.
 * @param flush called before each wait.
 */
export function createPace(speed: number, flush: () => Promise<void>, signal: AbortSignal): Pace {
  let start: { readonly localTimestamp: number; readonly nowMs: number } | undefined;
  return async (localTimestamp) => {
    start ??= { localTimestamp, nowMs: performance.now() };
    const remainingMs =
      (localTimestamp - start.localTimestamp) / 1000 / speed - (performance.now() - start.nowMs);
    if (remainingMs < 1) return;
    await flush();
    await wait(remainingMs, signal);
  };
}
