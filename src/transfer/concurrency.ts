/** How automatic concurrency begins, and what it never passes. */
export interface ConcurrencyBounds {
  readonly first: number;
  readonly most: number;
}

/** Of day files, which are large. */
const DAY_FILES: ConcurrencyBounds = { first: 8, most: 20 };
/** Broken connections cut no deeper: fewer at once would not mend a bad line, and take longer. */
const LEAST_BROKEN = 4;
/** Finishes without trouble that make a quiet stretch. */
const QUIET_FINISHES = 4;
/** Milliseconds without trouble that make one, for files that take long. */
const QUIET_MS = 10_000;
/** Milliseconds in which one trouble counts once, however many transfers it hit. */
const TROUBLE_MS = 1000;

/** How many transfers are in flight: fixed, or found out by what the service bears. */
export interface Concurrency {
  readonly limit: number;
  /** A file arrived, or bytes did. */
  quiet(nowMs: number, finished: boolean): void;
  /** An answer 429, or a connection that broke: the first break alone counts for nothing. */
  trouble(nowMs: number, kind: 'rate' | 'broken'): void;
}

/** Begins at the first; one more after each quiet stretch, times 0.7 on 429 or repeated breaks; from 1 to the most, and not below 4 for breaks. */
export function autoConcurrency(startMs: number, { first, most } = DAY_FILES): Concurrency {
  let limit = first;
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
    quiet(nowMs, finished) {
      if (finished) {
        finishes++;
        breaks = 0;
      }
      if (finishes < QUIET_FINISHES && nowMs - quietSince < QUIET_MS) return;
      limit = Math.min(most, limit + 1);
      restart(nowMs);
    },
    trouble(nowMs, kind) {
      restart(nowMs);
      if (kind === 'broken' && ++breaks < 2) return;
      if (nowMs - lastCut < TROUBLE_MS) return;
      lastCut = nowMs;
      breaks = 0;
      const least = kind === 'broken' ? Math.min(LEAST_BROKEN, limit) : 1;
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
  { bounds = DAY_FILES, processes = 1 }: ConcurrencyOptions = {},
): Concurrency {
  const partOf = (whole: number): number => Math.max(1, Math.floor(whole / processes));
  if (wanted !== 'auto') return { limit: partOf(wanted), quiet: () => {}, trouble: () => {} };
  return autoConcurrency(performance.now(), { first: partOf(bounds.first), most: partOf(bounds.most) });
}
