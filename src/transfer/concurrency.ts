/** How automatic concurrency begins, and what it never passes. */
export interface ConcurrencyBounds {
  readonly initial: number;
  readonly max: number;
}

/** Of day files, which are large. */
const DAY_FILE_BOUNDS: ConcurrencyBounds = { initial: 8, max: 20 };
/** Broken connections cut no deeper: fewer at once would not mend a bad line, and take longer. */
const MIN_LIMIT_AFTER_DISCONNECTS = 4;
/** Finishes without trouble that make a quiet stretch. */
const SUCCESSES_TO_GROW = 4;
/** Milliseconds without trouble that make one, for files that take long. */
const GROW_INTERVAL_MS = 10_000;
/** Milliseconds in which one trouble counts once, however many transfers it hit. */
const CONGESTION_WINDOW_MS = 1000;

/** How many transfers are in flight: fixed, or found out by what the service bears. */
export interface Concurrency {
  readonly limit: number;
  /** A file arrived, or bytes did. */
  onSuccess(nowMs: number, finished: boolean): void;
  /** An answer 429, or a connection that broke: the first break alone counts for nothing. */
  onCongestion(nowMs: number, kind: 'rate' | 'broken'): void;
}

/** Begins at the first; one more after each quiet stretch, times 0.7 on 429 or repeated breaks; from 1 to the most, and not below 4 for breaks. */
export function createAutoConcurrency(startMs: number, { initial, max } = DAY_FILE_BOUNDS): Concurrency {
  let limit = initial;
  let finishes = 0;
  let quietSince = startMs;
  let lastCut = Number.NEGATIVE_INFINITY;
  let breaks = 0;
  const restart = (nowMs: number): void => {
    finishes = 0;
    quietSince = nowMs;
  };
  return {
    get limit() {
      return limit;
    },
    onSuccess(nowMs, finished) {
      if (finished) {
        finishes++;
        breaks = 0;
      }
      if (finishes < SUCCESSES_TO_GROW && nowMs - quietSince < GROW_INTERVAL_MS) return;
      limit = Math.min(max, limit + 1);
      restart(nowMs);
    },
    onCongestion(nowMs, kind) {
      restart(nowMs);
      if (kind === 'broken' && ++breaks < 2) return;
      if (nowMs - lastCut < CONGESTION_WINDOW_MS) return;
      lastCut = nowMs;
      breaks = 0;
      const least = kind === 'broken' ? Math.min(MIN_LIMIT_AFTER_DISCONNECTS, limit) : 1;
      limit = Math.max(least, Math.floor(limit * 0.7));
    },
  };
}

interface ConcurrencyOptions {
  /** Of automatic concurrency. */
  readonly bounds?: ConcurrencyBounds | undefined;
  /** That share it: each has its part, and one at least. */
  readonly processes?: number | undefined;
}

/** @param wanted a number, or found out. */
export function createConcurrency(
  wanted: number | 'auto',
  { bounds = DAY_FILE_BOUNDS, processes = 1 }: ConcurrencyOptions = {},
): Concurrency {
  const partOf = (whole: number): number => Math.max(1, Math.floor(whole / processes));
  if (wanted !== 'auto') return { limit: partOf(wanted), onSuccess: () => {}, onCongestion: () => {} };
  return createAutoConcurrency(performance.now(), {
    initial: partOf(bounds.initial),
    max: partOf(bounds.max),
  });
}
