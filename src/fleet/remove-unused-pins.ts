import { randomBytes } from 'node:crypto';
import type { Destination } from '../store/destination.js';
import type { OpenQueue } from './open-queue.js';
import { removePin } from './stored-pins.js';

/** Milliseconds for which a plan stays in any case: whoever wrote it may still be filling the queue. */
const MIN_AGE_MS = 86_400_000;
const KEYS_PER_CALL = 1000;
/** As `createJobId` makes them. */
const JOB_KEY = /:[0-9a-f]{32}$/;

/**
 * What the names of a queue's plans begin with, the same however its Redis is reached. Another queue may have the same plan
 * in the same destination, and knows nothing of the slices of this one.
 */
export async function getOrCreateMark({ queue, redis }: OpenQueue): Promise<string> {
  const key = queue.toKey(MARK);
  const fresh = `${randomBytes(8).toString('hex')}-`;
  await redis.setnx(key, fresh);
  return (await redis.get(key)) ?? fresh;
}

/** What `getOrCreateMark` gave; undefined before the first `enqueue`, and if Redis lost the queue. */
export async function readExistingMark({ queue, redis }: OpenQueue): Promise<string | undefined> {
  return (await redis.get(queue.toKey(MARK))) ?? undefined;
}

/** Notes that this queue has a plan in a destination, before it is written there: what no queue noted stays for ever. */
export async function recordPinDestination(
  { queue, redis }: OpenQueue,
  dir: string,
  pin: string,
): Promise<void> {
  await redis.zadd(queue.toKey(PLANS), Date.now(), formatMember(dir, pin));
}

/**
 * Removes plans of this queue from a destination that no slice names any more: none that waits, is worked on, failed, or
 * was done in the last days.
 * @throws what the destination does.
 */
export async function removeUnusedPins(
  open: OpenQueue,
  destination: Destination,
  signal: AbortSignal,
): Promise<void> {
  const { queue, redis } = open;
  const key = queue.toKey(PLANS);
  const before = Date.now() - MIN_AGE_MS;
  const folder = formatMember(destination.name, '');
  const own = formatMember(destination.name, await getOrCreateMark(open));
  const old = (await redis.zrangebyscore(key, 0, before)).filter((member) => member.startsWith(own));
  if (old.length === 0) return;
  const named = await listReferencedPins(open);
  for (const member of old) {
    const pin = member.slice(folder.length);
    if (named.has(pin)) continue;
    // It may have been noted anew meanwhile.
    if (Number(await redis.zscore(key, member)) > before) continue;
    await redis.zrem(key, member);
    await removePin(destination, pin, signal);
  }
}

/**
 * All that any slice names, in whatever destination: one folder may have several names. A slice that goes from one state to
 * the next meanwhile is seen too: its key stays.
 */
async function listReferencedPins({ queue, redis }: OpenQueue): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  const pattern = queue.toKey('*');
  for (let cursor = '0', isFirst = true; isFirst || cursor !== '0'; isFirst = false) {
    const [next, keys] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_PER_CALL);
    cursor = next;
    const asking = redis.pipeline();
    for (const key of keys) if (JOB_KEY.test(key)) asking.hget(key, 'data');
    for (const [error, data] of (await asking.exec()) ?? []) {
      if (error) throw error;
      if (typeof data !== 'string') continue;
      const pin = /"pin":"([^"]*)"/.exec(data)?.[1];
      if (pin !== undefined) named.add(pin);
    }
  }
  return named;
}

/** Of the plans that a queue wrote, with the time of each in milliseconds. */
const PLANS = 'plans';
/** What the names of them all begin with. */
const MARK = 'plans-begin-with';

function formatMember(dir: string, pin: string): string {
  return `${dir} ${pin}`;
}
