import type { Job } from 'bullmq';
import { wait } from '../base/wait.js';
import type { OpenQueue } from './open-queue.js';
import { pinOfJob } from './parse-slice-job.js';
import type { SliceJob } from './slice-job.js';

/** Field of a job in Redis: the plan by which a worker is about to complete the slice. */
const SEAL = 'sealed';
/** Compares and writes in one step. A job that is gone is not written: half a job would block its slice. */
const SEAL_SCRIPT = `
local data = redis.call('HGET', KEYS[1], 'data')
if not data then return 1 end
if cjson.decode(data).pin ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], '${SEAL}', ARGV[1])
return 1`;
/** A worker that sealed a plan completes the slice at once; if it died, the next one reads the newer plan. */
const MAX_POLLS = 100;
const POLL_MS = 50;
/** Sets of jobs that are over. */
export const ENDED = ['completed', 'failed'] as const;

/**
 * Announces that a slice is about to complete, by the plan that its worker has.
 * @returns false if `enqueue` gave the slice a newer plan: it is to be worked on again.
 */
export async function sealPlan(
  { queue, redis }: OpenQueue,
  { id = '', data }: Job<SliceJob>,
): Promise<boolean> {
  try {
    return (await redis.eval(SEAL_SCRIPT, 1, queue.toKey(id), data.pin)) === 1;
  } catch {
    // Completing the slice meets the same error, which is reported there.
    return true;
  }
}

/**
 * Gives a slice that waits or is worked on a newer plan.
 * @returns false if the slice ended by the older plan: it is to be put into the queue again.
 */
export async function renewPlan(open: OpenQueue, id: string, data: SliceJob): Promise<boolean> {
  const { queue, redis } = open;
  const job = await queue.getJob(id);
  if (!job) return false;
  if (pinOfJob(job.data) === data.pin) return true;
  // A job that is gone by now has ended, which the loop finds.
  await job.updateData(data).catch(() => {});
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    // In this order: a job that ends in between is found among the ended.
    const isActive = await job.isActive();
    if (await hasEnded(open, id)) return false;
    if (!isActive) return true;
    const sealed = await redis.hget(queue.toKey(id), SEAL);
    if (sealed === null || sealed === data.pin) return true;
    await wait(POLL_MS);
  }
  return true;
}

async function hasEnded({ queue, redis }: OpenQueue, id: string): Promise<boolean> {
  const scores = await Promise.all(ENDED.map((set) => redis.zscore(queue.toKey(set), id)));
  return scores.some((score) => score !== null);
}
