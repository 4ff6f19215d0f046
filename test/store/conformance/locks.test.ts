import assert from 'node:assert/strict';
import { TickhaulError } from '../../../src/base/errors.js';
import { createOwner, testStores } from './stores.js';

testStores('an exclusive lock is an error with its holder, or is waited for', async (store) => {
  const [one, other] = [await store.open(), await store.open()];
  const first = await one.acquireLock(createOwner(1));
  await assert.rejects(other.acquireLock(createOwner(2)), {
    code: 'locked',
    exitCode: 9,
    message: /another run holds the lock, process 5000001 on host 1 since 20\S+ \(sync\); use --lock-timeout/,
  });
  await assert.rejects(other.acquireLock(createOwner(2), { timeoutMs: 20 }), { code: 'locked' });
  const stop = new AbortController();
  const onWait = (): void => stop.abort(new TickhaulError('interrupted', 'ended'));
  const aborted = other.acquireLock(createOwner(2), { timeoutMs: 60_000, signal: stop.signal, onWait });
  await assert.rejects(aborted, { code: 'interrupted' });
  const holders: string[] = [];
  const second = await other.acquireLock(createOwner(2), {
    timeoutMs: 60_000,
    onWait: (holder) => {
      holders.push(holder);
      void first.release();
    },
  });
  assert.match(holders.join(), /^process 5000001 on host 1 since 20\S+ \(sync\)$/);
  await first.release();
  assert.equal(second.lost.aborted, false);
  await second.release();
  assert.deepEqual(await store.contents(), []);
});

testStores('of many simultaneous exclusive runs each gets the lock, one at a time', async (store) => {
  let holders = 0;
  await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const destination = await store.open();
      const lock = await destination.acquireLock(createOwner(n), { timeoutMs: 240_000 });
      assert.equal(++holders, 1);
      await destination.writeState('work.json', String(n));
      assert.equal(await destination.readState('work.json'), String(n));
      holders--;
      await lock.release();
    }),
  );
  assert.deepEqual(await store.contents(), ['.tickhaul/work.json']);
});

testStores('runs that only add files work at the same time, and exclude an exclusive one', async (store) => {
  const [one, other] = [await store.open(), await store.open()];
  const first = await one.joinRun(createOwner(1));
  const second = await other.joinRun(createOwner(2));
  // Two runs that write the same parts need other names for them.
  assert.equal(second.partSuffix !== undefined, one.hasLocalPaths);
  await assert.rejects(other.acquireLock(createOwner(3)), { code: 'locked' });
  await second.release();
  await first.release();
  const lock = await other.acquireLock(createOwner(3));
  // In a folder no run that adds files waits; its parts have names that no other run uses.
  if (one.hasLocalPaths) await (await one.joinRun(createOwner(4))).release();
  else await assert.rejects(one.joinRun(createOwner(4)), { code: 'locked' });
  await lock.release();
  assert.deepEqual(await store.contents(), []);
});
