import { wait } from '../base/wait.js';

/** Initial and maximum limit of automatic concurrency. */
export interface ConcurrencyBounds {
  readonly initial: number;
  readonly max: number;
}

/** For day files, which are large. */
const DAY_FILE_BOUNDS: ConcurrencyBounds = { initial: 8, max: 20 };
/**
 * Disconnects do not lower the limit further: fewer transfers would not repair the connection, but take
 * longer.
 */
const MIN_LIMIT_AFTER_DISCONNECTS = 4;
/** Transfers finished without congestion after which the limit grows. */
const SUCCESSES_TO_GROW = 4;
/** Time without congestion after which the limit grows, for files that take long. */
const GROW_INTERVAL_MS = 10_000;
/** Congestion within this time counts once, however many transfers it affects. */
const CONGESTION_WINDOW_MS = 1000;

/** Limit of concurrent transfers: fixed, or adapted to what the service can handle. */
export interface Concurrency {
  readonly limit: number;
  /** Call it when a file is complete (`finished`) or bytes arrive. */
  onSuccess(nowMs: number, finished: boolean): void;
  /** Call it after a 429 (`rate`) or a disconnect (`broken`). A single disconnect has no effect. */
  onCongestion(nowMs: number, kind: 'rate' | 'broken'): void;
}

/**
 * Adapts the limit: adds one after each period without congestion, and multiplies by 0.7 on a 429 or repeated
 * disconnects. The limit stays between 1 and the maximum; disconnects do not lower it below 4.
 */
export function createAutoConcurrency(startMs: number, { initial, max } = DAY_FILE_BOUNDS): Concurrency {
  let limit = initial;
  let finishes = 0;
  let periodStartMs = startMs;
  let lastCutMs = Number.NEGATIVE_INFINITY;
  let disconnects = 0;
  const restart = (nowMs: number): void => {
    finishes = 0;
    periodStartMs = nowMs;
  };
  return {
    get limit() {
      return limit;
    },
    onSuccess(nowMs, finished) {
      if (finished) {
        finishes++;
        disconnects = 0;
      }
      if (finishes < SUCCESSES_TO_GROW && nowMs - periodStartMs < GROW_INTERVAL_MS) return;
      limit = Math.min(max, limit + 1);
      restart(nowMs);
    },
    onCongestion(nowMs, kind) {
      restart(nowMs);
      if (kind === 'broken' && ++disconnects < 2) return;
      if (nowMs - lastCutMs < CONGESTION_WINDOW_MS) return;
      lastCutMs = nowMs;
      disconnects = 0;
      const min = kind === 'broken' ? Math.min(MIN_LIMIT_AFTER_DISCONNECTS, limit) : 1;
      limit = Math.max(min, Math.floor(limit * 0.7));
    },
  };
}

interface ConcurrencyOptions {
  /** For automatic concurrency. */
  readonly bounds?: ConcurrencyBounds | undefined;
  /** Number of processes that share the limit; each gets at least 1. */
  readonly processes?: number | undefined;
}

/** @param requested a fixed limit, or `auto`. */
export function createConcurrency(
  requested: number | 'auto',
  { bounds = DAY_FILE_BOUNDS, processes = 1 }: ConcurrencyOptions = {},
): Concurrency {
  const share = (whole: number): number => Math.max(1, Math.floor(whole / processes));
  if (requested !== 'auto') return { limit: share(requested), onSuccess: () => {}, onCongestion: () => {} };
  return createAutoConcurrency(performance.now(), {
    initial: share(bounds.initial),
    max: share(bounds.max),
  });
}

/** Waits until some bytes may pass, so that all transfers with the same limit stay below its rate. */
export type ByteRateLimit = (bytes: number, signal: AbortSignal) => Promise<void>;

/**
 * Each chunk reserves time after the chunks before it, so transfers share the rate in the order of their
 * calls.
 * @param bytesPerSecond undefined for no limit.
 * @param processes number of processes that share the rate equally.
 */
export function createByteRateLimit(bytesPerSecond: number | undefined, processes = 1): ByteRateLimit {
  if (bytesPerSecond === undefined) return async () => {};
  let reservedUntilMs = 0;
  return async (bytes, signal) => {
    // A monotonic clock: after a change of the system time, the reservations could lie hours ahead.
    const nowMs = performance.now();
    reservedUntilMs = Math.max(reservedUntilMs, nowMs) + ((bytes * processes) / bytesPerSecond) * 1000;
    const waitMs = reservedUntilMs - nowMs;
    if (waitMs > 0) await wait(waitMs, signal);
  };
}
