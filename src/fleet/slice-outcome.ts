import { type FileError, TickhaulError } from '../base/errors.js';
import { judgeError } from '../base/judge-error.js';
import { readSlice, type SliceJob } from './slice-job.js';
import { formatFailures, type SliceResult } from './slice-work.js';
import type { Slice } from './split-into-slices.js';

/** What happens to a slice and its worker. */
export interface SliceOutcome {
  readonly status: SliceStatus;
  readonly reason?: TickhaulError | undefined;
  /** Whether any other slice would fail for this worker as well. */
  readonly endsWorker?: boolean | undefined;
  /** Milliseconds for which slices would fail for any worker, so that all pause. A worker that may wait need not end. */
  readonly pauseAllMs?: number | undefined;
  /** Milliseconds before the slice is returned, since it would fail for the next worker until then. */
  readonly returnDelayMs?: number | undefined;
}

/** Delay between attempts while another run locks the destination exclusively. */
const LOCKED_DELAY_MS = 30_000;

/** Outcome of a slice that is complete by an older plan than that in the queue, which may include more days. */
export const NEWER_PLAN: SliceOutcome = {
  status: 'returned',
  reason: new TickhaulError('changed', 'enqueue has replaced its plan'),
};

/**
 * Decides what follows from the end of a slice (docs/spec/queue.md#workers).
 * @param result the slice's result, or the error with which it ended.
 * @param isStopped whether the worker was stopped or asked to return its slices meanwhile.
 */
export function decideSliceOutcome(
  result: SliceResult | TickhaulError,
  job: Pick<SliceJob, 'unauthorized' | 'options'>,
  isStopped: boolean,
): SliceOutcome {
  const { unauthorized: uncoveredFiles = 0 } = job;
  if (result instanceof TickhaulError) return decideErrorOutcome(result, job, isStopped);
  const { summary, failed } = result;
  if ((summary.counts.unauthorized ?? 0) > uncoveredFiles) {
    const reason = new TickhaulError(
      'bad_key',
      "this worker's API key does not cover a slice; set TICKHAUL_API_KEY to one that does",
    );
    return { status: 'returned', reason, endsWorker: true };
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
  reason: TickhaulError,
  { options: { maxWaitMs } }: Pick<SliceJob, 'options'>,
  isStopped: boolean,
): SliceOutcome {
  const { code, retryAfterMs = 0 } = reason;
  if (isStopped) return { status: 'returned', reason };
  // Another run took the folder's lock or locks a store exclusively. The next worker opens the destination again.
  if (code === 'locked') return { status: 'returned', reason, returnDelayMs: LOCKED_DELAY_MS };
  const { affectsRun, isCongestion } = judgeError(reason);
  if (isCongestion && retryAfterMs > maxWaitMs)
    return { status: 'returned', reason, endsWorker: true, pauseAllMs: retryAfterMs };
  // After a shorter limit, this worker may continue with other slices.
  if (affectsRun && !isCongestion) return { status: 'returned', reason, endsWorker: true };
  return { status: 'failed', reason };
}

/** Result of a slice; a `returned` slice is left to another worker. */
export type SliceStatus = 'done' | 'failed' | 'returned';

export interface SliceEvent extends Slice {
  readonly event: 'slice';
  readonly id: string;
  readonly status: SliceStatus;
  /** Number of downloaded files, and of files that existed. */
  readonly downloaded: number;
  readonly skipped: number;
  readonly bytes: number;
  /** Failed attempts, including this one. */
  readonly attempts: number;
  /** Why the slice failed or was returned. */
  readonly error?: string | undefined;
}

/** Events of a worker (docs/spec/queue.md#events). */
export type WorkerEvent =
  | SliceEvent
  | { readonly event: 'warning'; readonly message: string }
  | { readonly event: 'note'; readonly message: string };

export interface WorkerSummary {
  readonly exitCode: number;
  readonly done: number;
  /** Failed attempts of slices. */
  readonly failed: number;
  readonly returned: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly error?: FileError | undefined;
}

/** @param result the slice's result or error. @param reason why the slice failed or was returned. */
export function createSliceEvent(
  job: { readonly id?: string | undefined; readonly data: unknown; readonly attemptsMade: number },
  status: SliceStatus,
  result: SliceResult | TickhaulError,
  reason: TickhaulError | undefined,
): SliceEvent {
  const { counts = {}, bytes = 0 } = result instanceof TickhaulError ? {} : result.summary;
  return {
    event: 'slice',
    id: job.id ?? '',
    status,
    ...readSlice(job.data),
    downloaded: counts.downloaded ?? 0,
    skipped: (counts.skipped ?? 0) + (counts.verified ?? 0),
    bytes,
    attempts: job.attemptsMade + (status === 'returned' ? 0 : 1),
    ...(status !== 'done' && reason && { error: reason.message }),
  };
}
