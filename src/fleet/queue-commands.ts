import type { Job } from 'bullmq';
import { usageError } from '../base/errors.js';
import type { OpenQueue } from './open-queue.js';
import { readSlice, type SliceJob } from './slice-job.js';
import type { Slice } from './split-into-slices.js';

export interface QueueStatus {
  /** Slices that no worker has taken yet, including those of a paused queue. */
  readonly waiting: number;
  readonly active: number;
  /** Slices that wait for another attempt. */
  readonly delayed: number;
  readonly completed: number;
  /** Slices without further attempts. */
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

/** BullMQ's error of a job whose workers were lost too often. */
const BULLMQ_STALLED_MESSAGE = 'job stalled more than allowable limit';
/** Error of a slice that lost its worker too often. */
export const LOST_WORKER_MESSAGE =
  'its workers ended or stopped responding too often while processing it; check whether they run out of memory, raise --lock-duration if they are only slow, then add it again with tickhaul queue retry';

/** A slice whose attempts are used up. */
export interface FailedSlice extends Slice {
  readonly id: string;
  readonly attempts: number;
  readonly error: string;
}

export async function listFailedSlices({ queue }: OpenQueue): Promise<readonly FailedSlice[]> {
  const jobs = await queue.getFailed();
  return jobs.map(({ id = '', data, attemptsMade, failedReason }) => {
    const error = failedReason === BULLMQ_STALLED_MESSAGE ? LOST_WORKER_MESSAGE : (failedReason ?? '');
    return { id, ...readSlice(data), attempts: attemptsMade, error };
  });
}

/**
 * Puts failed slices back into the queue; without ids, all of them.
 * @returns the number of slices. @throws usage error if an id is not that of a failed slice; then none is put back.
 */
export async function retrySlices({ queue, redis }: OpenQueue, ids: readonly string[]): Promise<number> {
  const failed = await queue.getFailed();
  const selected = ids.length === 0 ? failed : failed.filter(({ id = '' }) => ids.includes(id));
  const unknown = ids.find((id) => !selected.some((job) => job.id === id));
  if (unknown !== undefined)
    throw usageError(`"${unknown}" is not a failed slice; tickhaul queue failed lists them`);
  // Reset the count of stalls, so that the slice may lose its worker as often as before.
  await Promise.all(selected.map(({ id = '' }) => redis.hdel(queue.toKey(id), 'stc')));
  const retried = await Promise.all(selected.map(retryOnce));
  return retried.filter((done) => done).length;
}

async function retryOnce(job: Job<SliceJob>): Promise<boolean> {
  try {
    await job.retry('failed', { resetAttemptsMade: true });
    return true;
  } catch (error) {
    // Another retry put it back already.
    if (error instanceof Error && /is not in the failed state|Missing key/i.test(error.message)) return false;
    throw error;
  }
}

/** Stops handing out slices until `resumeQueue`. Active slices continue. */
export async function pauseQueue({ queue }: OpenQueue): Promise<void> {
  await queue.pause();
}

export async function resumeQueue({ queue }: OpenQueue): Promise<void> {
  await queue.resume();
}

/** Removes waiting slices, including those that wait for another attempt. @returns the number of slices. */
export async function drainQueue(open: OpenQueue): Promise<number> {
  const before = await readQueueStatus(open);
  await open.queue.drain(true);
  return before.waiting + before.delayed;
}
