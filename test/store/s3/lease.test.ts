import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import type { LockClock } from '../../../src/store/lock/heartbeat.js';
import { acquireLease, type StoreLease, tryAcquireLease } from '../../../src/store/s3/lease.js';
import { SHUTDOWN_TIMEOUT_MS } from '../../../src/store/s3/object-store.js';
import { MemoryBucket } from '../../helpers/memory-store.js';
import { acquireTestLease, owner, TestClock } from './leases.js';

const LOCKS = 'data/.tickhaul/locks/';
const SECOND = 1000;

test('a lease is one object with its holder, which is removed when it is released', async () => {
  const bucket = new MemoryBucket();
  const lease = await acquireTestLease(bucket, 'a');
  const [key = ''] = bucket.keys(LOCKS);
  assert.match(key.slice(LOCKS.length), /^\d{8}T\d{9}Z-[0-9a-f]{12}\.exclusive$/);
  assert.deepEqual(JSON.parse(bucket.text(key) ?? ''), {
    ...{ pid: 5_000_000, host: 'a', started: '2026-01-01T00:00:00.000Z', command: 'sync', exclusive: true },
  });
  assert.equal(lease.acquiredMs, bucket.now);
  await lease.release();
  await lease.release();
  assert.deepEqual([bucket.keys(LOCKS), lease.lost.aborted], [[], false]);
});

test('a dead lease is valid for five minutes by the store’s clock, a live one forever', async () => {
  const bucket = new MemoryBucket();
  const clock = new TestClock(bucket);
  const trying = (exclusive: boolean): Promise<StoreLease | undefined> =>
    tryAcquireLease(bucket.client(), 'data/', owner('b'), { exclusive, clock });
  const living = await acquireTestLease(bucket, 'a', { clock });
  await clock.pass(3600 * SECOND);
  assert.equal(await trying(true), undefined);
  await living.release();
  bucket.write(`${LOCKS}20260101T000000000Z-0.exclusive`, 'of a run that was killed');
  await clock.pass(240 * SECOND);
  assert.equal(await trying(false), undefined);
  await clock.pass(61 * SECOND);
  const next = await acquireTestLease(bucket, 'd', { clock });
  assert.equal(bucket.keys(LOCKS).length, 1, 'the dead one is removed');
  await next.release();
});

test('a run loses its lease if the object is gone or cannot be refreshed', async () => {
  const bucket = new MemoryBucket();
  const clock = new TestClock(bucket);
  const removed = await acquireTestLease(bucket, 'a', { clock });
  for (const key of bucket.keys(LOCKS)) bucket.delete(key);
  await clock.pass(31 * SECOND);
  assert.match(String(removed.lost.reason), /another run may have taken over the lock, or removed it/);
  await removed.release();
  assert.deepEqual(bucket.keys(), [], 'it is not put again');

  let isDown = false;
  const store = bucket.client(async () => {
    if (isDown) throw new TickhaulError('unreachable', 'down');
  });
  const cutOff = await acquireLease(store, 'data/', owner('b'), { exclusive: true, clock });
  isDown = true;
  await clock.pass(200 * SECOND);
  assert.equal(cutOff.lost.aborted, false);
  isDown = false;
  await clock.pass(20 * SECOND);
  isDown = true;
  await clock.pass(220 * SECOND);
  assert.equal(cutOff.lost.aborted, false);
  await clock.pass(41 * SECOND);
  assert.match(String(cutOff.lost.reason), /suspended for too long|accepted no refresh/);
  isDown = false;
  await cutOff.release();
});

test('a lease that the store does not remove is left to expire, and its run succeeds', async () => {
  const bucket = new MemoryBucket();
  const store = bucket.client(async ({ name }) => {
    if (name === 'remove') throw new TickhaulError('store_down', 'busy');
  });
  const lease = await acquireLease(store, 'data/', owner('a'), { exclusive: true });
  await lease.release();
  assert.equal(bucket.keys(LOCKS).length, 1);
  bucket.now += 301 * SECOND;
  await (await acquireTestLease(bucket, 'b')).release();
  assert.deepEqual(bucket.keys(LOCKS), []);
});

test('a silent store delays neither the end of a run nor an interrupt for long', async () => {
  const bucket = new MemoryBucket();
  const clock = new TestClock(bucket);
  let isSilent = false;
  let asked = (): void => {};
  const store = bucket.client(async () => {
    if (!isSilent) return;
    asked();
    await new Promise(() => {});
  });
  const endOf = async (something: Promise<unknown>): Promise<unknown> => {
    let end: unknown = 'none';
    something.then(
      () => {
        end = 'well';
      },
      ({ code }: TickhaulError) => {
        end = code;
      },
    );
    await clock.pass(SHUTDOWN_TIMEOUT_MS);
    return end;
  };
  const lease = await acquireLease(store, 'data/', owner('a'), { exclusive: true, clock });
  isSilent = true;
  // Its refresh is in flight.
  await clock.pass(31 * SECOND);
  assert.equal(await endOf(lease.release()), 'well');
  const leaving = new AbortController();
  const { signal } = leaving;
  const met = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const coming = acquireLease(store, 'other/', owner('b'), { exclusive: false, clock, signal });
  await met;
  leaving.abort(new TickhaulError('interrupted', 'interrupted'));
  assert.equal(await endOf(coming), 'interrupted');
});

test('a run on a machine that slept loses its lease', async () => {
  const bucket = new MemoryBucket();
  const clock = new TestClock(bucket);
  let asleep = 0;
  const slept: LockClock = { now: () => clock.now() - asleep, wait: (ms, signal) => clock.wait(ms, signal) };
  const lease = await acquireTestLease(bucket, 'a', { clock: slept });
  await clock.pass(10 * SECOND);
  // The store’s clock runs on while that of the machine stops.
  asleep = 3600 * SECOND;
  bucket.now += asleep;
  await clock.pass(61 * SECOND);
  assert.match(String(lease.lost.reason), /suspended for too long/);
  await lease.release();
});
