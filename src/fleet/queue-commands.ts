import type { Job } from 'bullmq';
import { usageError } from '../base/errors.js';
import type { OpenQueue } from './open-queue.js';
import { readSlice } from './parse-slice-job.js';
import type { SliceJob } from './slice-job.js';
import type { Slice } from './split-into-slices.js';

export interface QueueStatus {
  /** Slices that nobody works on yet, those of a paused queue too. */
  readonly waiting: number;
  readonly active: number;
  /** Those that failed and will be tried again. */
  readonly delayed: number;
  readonly completed: number;
  /** For good. */
  readonly failed: number;
  readonly paused: boolean;
}

export async function readQueueStatus({ queue }: OpenQueue): Promise<QueueStatus> {
  const [counts, paused] = await Promise.all([
    queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'completed', 'failed'),
    queue.isPaused(),
  ]);
  const { wait = 0, prioritized = 0, active = 0, delayed = 0, completed = 0, failed = 0 } = counts;
  return { waiting: wait + prioritized, active, delayed, completed, failed, paused };
}

/** How BullMQ has it. */
const STALLED = 'job stalled more than allowable limit';
/** What is told of a slice that lost its worker more often than it may. */
export const LOST_WORKER_MESSAGE =
  'its workers ended, or fell silent, again and again while they had it: do they run out of memory? tickhaul queue retry puts it back';

/** A slice that failed as often as it may. */
export interface FailedSlice extends Slice {
  readonly id: string;
  readonly attempts: number;
  readonly error: string;
}

export async function listFailedSlices({ queue }: OpenQueue): Promise<readonly FailedSlice[]> {
  const jobs = await queue.getFailed();
  return jobs.map(({ id = '', data, attemptsMade, failedReason }) => {
    const error = failedReason === STALLED ? LOST_WORKER_MESSAGE : (failedReason ?? '');
    return { id, ...readSlice(data), attempts: attemptsMade, error };
  });
}

/**
 * Puts failed slices into the queue again, all of them without ids.
 * @returns how many. @throws usage error for an id of which no slice failed; then none is put back.
 */
export async function retrySlices({ queue, redis }: OpenQueue, ids: readonly string[]): Promise<number> {
  const failed = await queue.getFailed();
  const wanted = ids.length === 0 ? failed : failed.filter(({ id = '' }) => ids.includes(id));
  const unknown = ids.find((id) => !wanted.some((job) => job.id === id));
  if (unknown !== undefined)
    throw usageError(`"${unknown}" is no failed slice; tickhaul queue failed lists them`);
  // It may lose its worker as often as before.
  await Promise.all(wanted.map(({ id = '' }) => redis.hdel(queue.toKey(id), 'stc')));
  const retried = await Promise.all(wanted.map(retryOnce));
  return retried.filter((done) => done).length;
}

async function retryOnce(job: Job<SliceJob>): Promise<boolean> {
  try {
    await job.retry('failed', { resetAttemptsMade: true });
    return true;
  } catch (error) {
    // Another retry was faster.
    if (error instanceof Error && /is not in the failed state|Missing key/i.test(error.message)) return false;
    throw error;
  }
}

/** No slice is begun until `resumeQueue`; those that are worked on go on. */
export async function pauseQueue({ queue }: OpenQueue): Promise<void> {
  await queue.pause();
}

export async function resumeQueue({ queue }: OpenQueue): Promise<void> {
  await queue.resume();
}

/** Drops what waits, also for another try. @returns how many slices. */
export async function drainQueue(open: OpenQueue): Promise<number> {
  const before = await readQueueStatus(open);
  await open.queue.drain(true);
  return before.waiting + before.delayed;
}
