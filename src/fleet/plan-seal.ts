import type { Job } from 'bullmq';
import { wait } from '../base/wait.js';
import type { OpenQueue } from './open-queue.js';
import type { SliceJob } from './slice-job.js';

/** Field of a job in Redis: the hash of the plan with which a worker is about to complete the slice. */
const SEAL = 'sealed';
/** Compares and writes in one step. A removed job is not written, since a partial job would block its slice. */
const SEAL_SCRIPT = `
local data = redis.call('HGET', KEYS[1], 'data')
if not data then return 1 end
if cjson.decode(data).plan ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], '${SEAL}', ARGV[1])
return 1`;
/** A worker completes a slice right after sealing it. If it dies before, the next worker reads the newer plan. */
const MAX_POLLS = 100;
const POLL_MS = 50;
/** Sets of ended jobs. */
export const ENDED_SETS = ['completed', 'failed'] as const;

/**
 * Marks a slice as about to complete with the plan that its worker has.
 * @returns false if `enqueue` gave the slice a newer plan, so that it must be processed again.
 */
export async function sealPlan(
  { queue, redis }: OpenQueue,
  { id = '', data }: Job<SliceJob>,
): Promise<boolean> {
  try {
    return (await redis.eval(SEAL_SCRIPT, 1, queue.toKey(id), data.plan)) === 1;
  } catch {
    // Completing the slice fails with the same error, which is reported there.
    return true;
  }
}

/**
 * Gives a newer plan to a slice that waits or is active.
 * @returns false if the slice ended with the older plan, so that it must be added again.
 */
export async function renewPlan(open: OpenQueue, id: string, data: SliceJob): Promise<boolean> {
  const { queue, redis } = open;
  const job = await queue.getJob(id);
  if (!job) return false;
  // The data of a damaged job may be null.
  if ((job.data as SliceJob | null)?.plan === data.plan) return true;
  // If the job was removed meanwhile, it has ended, which the loop detects.
  await job.updateData(data).catch(() => {});
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    // In this order: a job that ends between the two checks is found in an ended set.
    const isActive = await job.isActive();
    if (await hasEnded(open, id)) return false;
    if (!isActive) return true;
    const sealedPlan = await redis.hget(queue.toKey(id), SEAL);
    if (sealedPlan === null || sealedPlan === data.plan) return true;
    await wait(POLL_MS);
  }
  return true;
}

async function hasEnded({ queue, redis }: OpenQueue, id: string): Promise<boolean> {
  const scores = await Promise.all(ENDED_SETS.map((set) => redis.zscore(queue.toKey(set), id)));
  return scores.some((score) => score !== null);
}
