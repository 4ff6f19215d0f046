import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TickhaulError } from '../../../src/base/errors.js';
import { yieldToEventLoop } from '../../../src/base/wait.js';
import { RemoteMutex, WorkerPool } from '../../../src/server/cluster/start-cluster.js';

const EXEC = fileURLToPath(new URL('./failing-worker.js', import.meta.url));

test('workers that can’t begin end the cluster with the error of one of them, or the signal that ended it', async () => {
  cluster.setupPrimary({ exec: EXEC, args: [] });
  const cases = [
    [
      { code: 'usage', message: 'not so' },
      { exitCode: 2, message: 'a worker failed to start: not so' },
    ],
    [{ message: '' }, { exitCode: 1, message: 'a worker failed to start: SIGKILL' }],
  ] as const;
  for (const [input, error] of cases) {
    const warnings: string[] = [];
    const pool = new WorkerPool({
      size: 2,
      input,
      maxClients: 10,
      fork: () => cluster.fork(),
      log: { warn: (line) => void warnings.push(line) },
      memory: () => process.memoryUsage(),
    });
    await assert.rejects(pool.open(), error);
    await pool.end(0);
    assert.deepEqual(warnings, []);
  }
});

const ENDED = new TickhaulError('terminated', 'the worker has ended');

test('holders of one key follow each other and get the previous note; other keys are independent', async () => {
  const mutex = new RemoteMutex();
  const [one, other] = [new AbortController().signal, new AbortController().signal];
  assert.equal(await mutex.acquire('a', one), undefined);
  assert.equal(await mutex.acquire('b', other), undefined);
  const order: string[] = [];
  const waiting = mutex.acquire('a', other).then((note) => order.push(`other ${note}`));
  await yieldToEventLoop();
  // Another worker cannot release the lock.
  mutex.release('a', other, 3);
  await yieldToEventLoop();
  order.push('one');
  mutex.release('a', one, 7);
  await waiting;
  assert.deepEqual(order, ['one', 'other 7']);
});

test('a worker that has ended releases its locks and stops waiting', async () => {
  const mutex = new RemoteMutex();
  const [one, other, last] = [new AbortController(), new AbortController(), new AbortController()];
  await mutex.acquire('a', one.signal);
  let isAcquired = false;
  void mutex.acquire('a', other.signal).then(() => {
    isAcquired = true;
  });
  const acquiring = mutex.acquire('a', last.signal);
  other.abort(ENDED);
  one.abort(ENDED);
  assert.equal(await acquiring, undefined);
  assert.equal(isAcquired, false);
});
