import { ERROR_TABLE, type ErrorCode, TickhaulError } from '../base/errors.js';
import { formatFailures, type SliceResult } from './run-slice.js';
import type { SliceJob } from './slice-job.js';
import type { SliceStatus } from './worker-events.js';

/** What is to become of a slice, and of the worker that had it. */
export interface SliceOutcome {
  readonly status: SliceStatus;
  readonly reason?: TickhaulError | undefined;
  /** The worker would fare no better with any other slice. */
  readonly endsWorker?: boolean | undefined;
  /** Milliseconds for which nobody would: all workers are to wait. One that may wait need not end then. */
  readonly pauseAllMs?: number | undefined;
  /** Milliseconds for which the slice stays in hand before it goes back: whoever had it next would fare no better now. */
  readonly returnDelayMs?: number | undefined;
}

/** Between two looks whether a run that is alone in a destination has ended. */
const LOCKED_DELAY_MS = 30_000;

/** Of answers that concern every file, those after which this worker may go on. */
const TRANSIENT_CODES: ReadonlySet<ErrorCode> = new Set(['rate_limited']);

/** Of a slice that is done by an older plan than the queue has by now, which may name more days. */
export const NEWER_PLAN: SliceOutcome = {
  status: 'returned',
  reason: new TickhaulError('changed', 'enqueue gave it a newer plan meanwhile'),
};

/**
 * @param ended what came of the slice, or the error that it ended with.
 * @param isStopped whether the worker was told to end, or to hand its slices back, meanwhile.
 */
export function decideSliceOutcome(
  ended: SliceResult | TickhaulError,
  job: Pick<SliceJob, 'unauthorized' | 'options'>,
  isStopped: boolean,
): SliceOutcome {
  const { unauthorized: uncovered = 0 } = job;
  if (ended instanceof TickhaulError) return decideErrorOutcome(ended, job, isStopped);
  const { summary, failed } = ended;
  if ((summary.counts.unauthorized ?? 0) > uncovered) {
    const why = new TickhaulError(
      'bad_key',
      'no API key covers a slice: set TICKHAUL_API_KEY of this worker to one that does',
    );
    return { status: 'returned', reason: why, endsWorker: true };
  }
  if (summary.error) {
    const { code, message, ...details } = summary.error;
    return decideErrorOutcome(new TickhaulError(code, message, details), job, isStopped);
  }
  if (failed.length > 0) {
    return {
      status: 'failed',
      reason: new TickhaulError(failed[0]?.error?.code ?? 'mixed', formatFailures(failed)),
    };
  }
  return isStopped && summary.unfinished > 0 ? { status: 'returned' } : { status: 'done' };
}

function decideErrorOutcome(
  why: TickhaulError,
  { options: { maxWaitMs } }: Pick<SliceJob, 'options'>,
  isStopped: boolean,
): SliceOutcome {
  const { code, retryAfterMs = 0 } = why;
  if (isStopped) return { status: 'returned', reason: why };
  // Another run took the folder's lock, or is alone in a store: whoever is next opens it anew.
  if (code === 'locked') return { status: 'returned', reason: why, returnDelayMs: LOCKED_DELAY_MS };
  if (code === 'rate_limited' && retryAfterMs > maxWaitMs)
    return { status: 'returned', reason: why, endsWorker: true, pauseAllMs: retryAfterMs };
  if (ERROR_TABLE[code].everyone && !TRANSIENT_CODES.has(code)) return { status: 'returned', reason: why, endsWorker: true };
  return { status: 'failed', reason: why };
}
