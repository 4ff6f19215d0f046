import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { abortReason, TickhaulError } from '../../src/base/errors.js';
import { ThreadPool, workInParallel } from '../../src/base/thread-pool.js';
import { waitForAbort } from '../../src/base/wait.js';
import { WorkerThread } from '../../src/base/worker-thread.js';
import { cleanUp } from '../helpers/clean-up.js';
import { startedThreads } from '../helpers/started-threads.js';
import type { TestJob } from './jobs-worker.js';

type TestThread = WorkerThread<TestJob, Uint8Array<ArrayBuffer>, string, Uint8Array>;

const EMPTY: TestJob = { kind: 'double', bytes: new Uint8Array() };

function createThread(): TestThread {
  return new WorkerThread(new URL('./jobs-worker.js', import.meta.url), { name: 'test' });
}

function startThread(t: TestContext): TestThread {
  const thread = createThread();
  cleanUp(t, () => thread.close());
  return thread;
}

test('a job gets events and a result; its memory is transferred', async (t) => {
  const thread = startThread(t);
  const bytes = new Uint8Array([1, 2, 3]);
  const events: string[] = [];
  const onEvent = (event: string): void => void events.push(event);
  const [doubled, empty] = await Promise.all([
    thread.run({ kind: 'double', bytes }, { transfer: [bytes.buffer], onEvent }),
    thread.run(EMPTY),
  ]);
  assert.deepEqual([[...doubled], empty.length, bytes.length, events], [[2, 4, 6], 0, 0, ['3 bytes']]);
});

test('an open job takes messages in order, beside other jobs, until its end or its abort', async (t) => {
  const thread = startThread(t);
  const stop = new AbortController();
  const asked: string[] = [];
  const [first, second, aborted] = [
    thread.open({ kind: 'add messages' }, { onEvent: (event) => void asked.push(event) }),
    thread.open({ kind: 'add messages' }),
    thread.open({ kind: 'add messages' }, { signal: stop.signal }),
  ];
  const moved = new Uint8Array([1, 2]);
  first.post(moved, [moved.buffer]);
  second.post(new Uint8Array([9]));
  first.post(new Uint8Array([3]));
  for (const { post } of [first, second]) post(new Uint8Array());
  const results = await Promise.all([first.result, second.result]);
  assert.deepEqual(
    [...results.map((bytes) => [...bytes]), moved.length, asked],
    [[1, 2, 3], [9], 0, ['2 bytes', '3 bytes']],
  );
  first.post(new Uint8Array([4]));
  stop.abort();
  assert.equal((await aborted.result).length, 1);
});

test('a job that asks gets the answer of the handler, or its error', async (t) => {
  const thread = startThread(t);
  const stopped = thread.open({ kind: 'add messages' }, { onEvent: async () => 'stop' });
  const failed = thread.open(
    { kind: 'add messages' },
    { onEvent: () => Promise.reject(new RangeError('no answer')) },
  );
  for (const { post } of [stopped, failed]) post(new Uint8Array([1]));
  await assert.rejects(stopped.result, { name: 'RangeError', message: 'stopped' });
  await assert.rejects(failed.result, { name: 'RangeError', message: 'no answer' });
});

test('a failed job rejects with its error, and the thread runs further jobs', async (t) => {
  const thread = startThread(t);
  await assert.rejects(thread.run({ kind: 'fail', isKnown: true }), {
    name: 'TickhaulError',
    code: 'rejected',
    message: 'no',
    status: 400,
  });
  await assert.rejects(thread.run({ kind: 'fail', isKnown: false }), RangeError);
  assert.equal((await thread.run(EMPTY)).length, 0);
});

test('an abort reaches the running job, and an aborted signal starts none', async (t) => {
  const thread = startThread(t);
  const stop = new AbortController();
  const { signal } = stop;
  const result = await thread.run({ kind: 'wait for abort' }, { signal, onEvent: () => stop.abort() });
  assert.equal(result.length, 0);
  await assert.rejects(thread.run(EMPTY, { signal }), { code: 'interrupted' });
});

test('if the thread crashes, its jobs and all later ones fail with the error', async (t) => {
  const thread = startThread(t);
  const waiting = thread.run({ kind: 'wait for abort' });
  const crash = { message: 'the test thread failed: broken' };
  await Promise.all([assert.rejects(waiting, crash), assert.rejects(thread.run({ kind: 'crash' }), crash)]);
  await assert.rejects(thread.run(EMPTY), crash);
});

test('jobs of a closed thread fail as interrupted', async (t) => {
  const thread = startThread(t);
  const waiting = assert.rejects(thread.run({ kind: 'wait for abort' }), { code: 'interrupted' });
  await thread.close();
  await waiting;
  await assert.rejects(thread.run(EMPTY), { code: 'interrupted' });
});

test('a pool starts threads on demand, and gives each lease the thread with the fewest', async (t) => {
  const workers = startedThreads(t);
  const pool = new ThreadPool({ maxThreads: 2, startThread: createThread });
  cleanUp(t, () => pool.close());
  for (let i = 0; i < 3; i++) await pool.run(EMPTY);
  assert.equal(workers.length, 1);
  const [first, second, third, fourth] = [pool.lease(), pool.lease(), pool.lease(), pool.lease()];
  assert.notEqual(first.thread, second.thread);
  assert.notEqual(third.thread, fourth.thread);
  for (const { thread, release } of [first, second, third, fourth]) {
    await thread.run(EMPTY);
    release();
  }
  assert.equal(workers.length, 2);
});

test('if an idle thread ends, the next job fails with its error, and a new thread runs the others', async (t) => {
  const workers = startedThreads(t);
  const pool = new ThreadPool({ maxThreads: 1, startThread: createThread });
  cleanUp(t, () => pool.close());
  await pool.run(EMPTY);
  await workers[0]?.terminate();
  await assert.rejects(pool.run(EMPTY), { message: 'the test thread ended with code 1' });
  assert.equal((await pool.run(EMPTY)).length, 0);
  assert.equal(workers.length, 2);
});

test('of work in parallel, the error that came first counts, not one that its abort caused', async () => {
  const stop = new AbortController();
  const bug = new RangeError('made up');
  const begun: string[] = [];
  const working = workInParallel(
    ['waits', 'fails', 'is left out'],
    { count: 2, signal: stop.signal, stop },
    async (item) => {
      begun.push(item);
      if (item === 'fails') throw bug;
      await waitForAbort(stop.signal);
      throw abortReason(stop.signal);
    },
  );
  await assert.rejects(working, (error) => error === bug);
  assert.deepEqual(begun, ['waits', 'fails']);
});

test('a pool that cannot start all threads ahead closes those that it started', () => {
  const threads: TestThread[] = [];
  const pool = new ThreadPool({
    startThread() {
      if (threads.length > 0) throw new TickhaulError('disk', 'there is no room for a test thread');
      threads.push(createThread());
      return threads[0] as TestThread;
    },
  });
  assert.throws(() => pool.start(2), { code: 'disk' });
  assert.deepEqual(
    threads.map(({ hasEnded }) => hasEnded),
    [true],
  );
});
