import { randomBytes } from 'node:crypto';
import type { Destination } from '../store/destination.js';
import type { OpenQueue } from './open-queue.js';
import { removePin } from './stored-pins.js';

/** Milliseconds for which a plan is kept in any case, since its `enqueue` may still be running. */
const MIN_AGE_MS = 86_400_000;
const KEYS_PER_CALL = 1000;
/** Ends with a job id from `createJobId`. */
const JOB_KEY = /:[0-9a-f]{32}$/;

/**
 * The prefix of this queue's plan names, created on first use. It is the same however its Redis is addressed. Another
 * queue may have the same plan in the same destination, and does not see the slices of this one.
 */
export async function getOrCreateMark({ queue, redis }: OpenQueue): Promise<string> {
  const key = queue.toKey(MARK);
  const mark = `${randomBytes(8).toString('hex')}-`;
  await redis.setnx(key, mark);
  return (await redis.get(key)) ?? mark;
}

/** The mark of the queue; undefined before the first `enqueue`, and if Redis lost the queue. */
export async function readExistingMark({ queue, redis }: OpenQueue): Promise<string | undefined> {
  return (await redis.get(queue.toKey(MARK))) ?? undefined;
}

/** Records that this queue has a plan in a destination, before it is written. Plans without a record are never removed. */
export async function recordPinDestination(
  { queue, redis }: OpenQueue,
  dir: string,
  pin: string,
): Promise<void> {
  await redis.zadd(queue.toKey(PLANS), Date.now(), formatMember(dir, pin));
}

/**
 * Removes plans of this queue from a destination if no slice refers to them: no waiting, active or failed slice, and
 * none that was completed in the last days.
 * @throws errors of the destination.
 */
export async function removeUnusedPins(
  open: OpenQueue,
  destination: Destination,
  signal: AbortSignal,
): Promise<void> {
  const { queue, redis } = open;
  const key = queue.toKey(PLANS);
  const maxTimeMs = Date.now() - MIN_AGE_MS;
  const folder = formatMember(destination.name, '');
  const prefix = formatMember(destination.name, await getOrCreateMark(open));
  const oldMembers = (await redis.zrangebyscore(key, 0, maxTimeMs)).filter((member) =>
    member.startsWith(prefix),
  );
  if (oldMembers.length === 0) return;
  const referenced = await listReferencedPins(open);
  for (const member of oldMembers) {
    const pin = member.slice(folder.length);
    if (referenced.has(pin)) continue;
    // It may have been recorded again meanwhile.
    if (Number(await redis.zscore(key, member)) > maxTimeMs) continue;
    await redis.zrem(key, member);
    await removePin(destination, pin, signal);
  }
}

/**
 * The plans of all slices in any destination, since one folder may have several names. A slice that changes its state
 * meanwhile is included, because its key stays.
 */
async function listReferencedPins({ queue, redis }: OpenQueue): Promise<ReadonlySet<string>> {
  const referenced = new Set<string>();
  const pattern = queue.toKey('*');
  for (let cursor = '0', isFirst = true; isFirst || cursor !== '0'; isFirst = false) {
    const [next, keys] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_CALL);
    cursor = next;
    const pipeline = redis.pipeline();
    for (const key of keys) if (JOB_KEY.test(key)) pipeline.hget(key, 'data');
    for (const [error, data] of (await pipeline.exec()) ?? []) {
      if (error) throw error;
      if (typeof data !== 'string') continue;
      const pin = /"pin":"([^"]*)"/.exec(data)?.[1];
      if (pin !== undefined) referenced.add(pin);
    }
  }
  return referenced;
}

/** Sorted set of the plans that a queue wrote, with the time of each in milliseconds. */
const PLANS = 'plans';
/** Prefix of their names. */
const MARK = 'plans-begin-with';

function formatMember(dir: string, pin: string): string {
  return `${dir} ${pin}`;
}
