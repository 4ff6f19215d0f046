import { ERROR_TABLE, type ErrorCode, TickhaulError } from '../base/errors.js';
import { formatFailures, type SliceResult } from './run-slice.js';
import type { SliceJob } from './slice-job.js';
import type { SliceStatus } from './worker-events.js';

/** What is to become of a slice, and of the worker that had it. */
export interface SliceOutcome {
  readonly status: SliceStatus;
  readonly why?: TickhaulError | undefined;
  /** The worker would fare no better with any other slice. */
  readonly endsWorker?: boolean | undefined;
  /** Milliseconds for which nobody would: all workers are to wait. One that may wait need not end then. */
  readonly holdsAllMs?: number | undefined;
  /** Milliseconds for which the slice stays in hand before it goes back: whoever had it next would fare no better now. */
  readonly keptMs?: number | undefined;
}

/** Between two looks whether a run that is alone in a destination has ended. */
const LOCKED_MS = 30_000;

/** Of answers that concern every file, those after which this worker may go on. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['rate_limited']);

/** Of a slice that is done by an older plan than the queue has by now, which may name more days. */
export const NEWER_PLAN: SliceOutcome = {
  status: 'returned',
  why: new TickhaulError('changed', 'enqueue gave it a newer plan meanwhile'),
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
  if (ended instanceof TickhaulError) return verdictOfError(ended, job, isStopped);
  const { summary, failed } = ended;
  if ((summary.counts.unauthorized ?? 0) > uncovered) {
    const why = new TickhaulError(
      'bad_key',
      'no API key covers a slice: set TICKHAUL_API_KEY of this worker to one that does',
    );
    return { status: 'returned', why, endsWorker: true };
  }
  if (summary.error) {
    const { code, message, ...details } = summary.error;
    return verdictOfError(new TickhaulError(code, message, details), job, isStopped);
  }
  if (failed.length > 0) {
    return {
      status: 'failed',
      why: new TickhaulError(failed[0]?.error?.code ?? 'mixed', formatFailures(failed)),
    };
  }
  return isStopped && summary.unfinished > 0 ? { status: 'returned' } : { status: 'done' };
}

function verdictOfError(
  why: TickhaulError,
  { options: { maxWaitMs } }: Pick<SliceJob, 'options'>,
  isStopped: boolean,
): SliceOutcome {
  const { code, retryAfterMs = 0 } = why;
  if (isStopped) return { status: 'returned', why };
  // Another run took the folder's lock, or is alone in a store: whoever is next opens it anew.
  if (code === 'locked') return { status: 'returned', why, keptMs: LOCKED_MS };
  if (code === 'rate_limited' && retryAfterMs > maxWaitMs)
    return { status: 'returned', why, endsWorker: true, holdsAllMs: retryAfterMs };
  if (ERROR_TABLE[code].affectsRun && !PASSING.has(code))
    return { status: 'returned', why, endsWorker: true };
  return { status: 'failed', why };
}
