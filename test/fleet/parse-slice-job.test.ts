import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../src/base/errors.js';
import { hashSeries, parseSliceJob, type SliceJob, toDownloadOptions } from '../../src/fleet/slice-job.js';
import { decideSliceOutcome } from '../../src/fleet/slice-work.js';
import { jsonLines, succeeded } from '../helpers/cli.js';
import { DOWNLOAD_DEFAULTS } from '../helpers/download-settings.js';
import { runHere } from '../helpers/in-process.js';
import { queueOf } from '../helpers/redis.js';
import { redisTest } from '../helpers/services.js';
import { createWork } from './helpers.js';

test('options that a job of an earlier version lacks have their defaults', () => {
  const series = { exportedUntil: '2024-03-10T00:00:00.000Z' };
  const slice = { exchange: 'a', dataType: 'b', symbol: 'c', from: '2024-03-01', to: '2024-03-02', series };
  const data = { ...slice, plan: hashSeries(slice), dir: '/data', layout: 'flat', options: { retries: 2 } };
  const job = parseSliceJob(data);
  const expected = { ...DOWNLOAD_DEFAULTS, retries: 2 };
  assert.equal(JSON.stringify(toDownloadOptions(job, 1)), JSON.stringify(expected));
});

const shard = (index: unknown, count: unknown): unknown => ({ index, count });

redisTest(
  'a slice with a damaged job fails at once with one line that names it, and the others are processed',
  async (t) => {
    const work = await createWork(t);
    const { queue, redis, close } = await queueOf(work.redis);
    const [good] = await queue.getWaiting();
    const data = good?.data as SliceJob;
    const { series, plan: _, ...withoutPlan } = data;
    const damaged: readonly (readonly [unknown, RegExp])[] = [
      [null, /expected object, received null/],
      ['text', /expected object, received string/],
      [[data], /expected object, received array/],
      [withoutPlan, /series: /],
      [{ ...withoutPlan, series }, /plan: /],
      [{ ...data, series: { ...series, exportedUntil: 7 } }, /series\.exportedUntil: /],
      [
        { ...data, series: { ...series, availableTo: '2024-03-01' } },
        /plan: it is not the hash of the series/,
      ],
      [{ ...data, exchange: 7 }, /exchange: /],
      [{ ...data, from: '2024-02-30' }, /from: it is not a day/],
      [{ ...data, to: data.from }, /to: it has no days/],
      [{ ...data, dir: null }, /dir: /],
      [{ ...data, options: undefined }, /options: /],
      [{ ...data, options: { ...data.options, retries: '8' } }, /options\.retries: /],
      [
        { ...data, options: { ...data.options, shard: shard(5, 4) } },
        /options\.shard: there is no such shard/,
      ],
      [{ ...data, options: { ...data.options, shard: '5/4' } }, /options\.shard: /],
      [{ ...data, symbol: 'NOSUCH' }, /plan: it is not the hash of the series/],
      [{ ...data, dataType: 'nosuch' }, /plan: it is not the hash/],
      [{ ...data, exchange: 'deribit' }, /plan: it is not the hash/],
    ];
    for (const [at, [job]] of damaged.entries())
      await queue.add('slice', job as SliceJob, { jobId: `damaged-${at}`, attempts: 1 });
    await queue.add('slice', data, { jobId: 'no-json' });
    await redis.hset(queue.toKey('no-json'), 'data', '{"exchange"');
    await close();

    const { exitCode, stdout, stderr } = await runHere(['worker', '--once', '--json'], work);
    assert.equal(exitCode, 3);
    assert.match(stderr, /^error +\d+ slices of the queue failed: tickhaul queue failed lists them, .*\n$/);
    const slices = jsonLines({ exitCode, stdout, stderr }).filter(({ event }) => event === 'slice');
    for (const [at, [, said]] of damaged.entries()) {
      const reported = slices.filter(({ id }) => id === `damaged-${at}`);
      assert.deepEqual(
        reported.map(({ status, downloaded }) => [status, downloaded]),
        [['failed', 0]],
      );
      assert.match(String(reported[0]?.['error']), said);
    }
    const reported = slices.filter(({ id }) => id === 'no-json');
    assert.match(String(reported[0]?.['error']), /^slice no-json: its job in the queue is damaged \(/);
    const listed = await runHere(['queue', 'failed'], work);
    assert.equal(listed.stdout.trimEnd().split('\n').length, damaged.length + 1, listed.stderr);
    assert.equal(listed.exitCode, 0);
    assert.match(listed.stdout, /^damaged-0 .*slice damaged-0: its job in the queue is damaged/m);
    await succeeded(runHere(['queue', 'retry', 'damaged-0'], work));
    const again = await runHere(['worker', '--once'], work);
    assert.match(again.stderr, /^warning failed +unreadable slice \(.*\): slice damaged-0: its job/m);
    assert.equal(again.exitCode, 3);
  },
);

const JOB = { options: { ...DOWNLOAD_DEFAULTS, maxWaitMs: 0 } };

test('a slice whose destination is locked exclusively is not failed, and is returned after a delay', () => {
  const locked = new TickhaulError('locked', 'another run holds the lock');
  const { status, endsWorker, returnDelayMs = 0 } = decideSliceOutcome(locked, JOB, false);
  assert.deepEqual([status, endsWorker], ['returned', undefined]);
  assert.ok(returnDelayMs >= 1000);
  assert.equal(
    decideSliceOutcome(locked, JOB, true).returnDelayMs,
    undefined,
    'a worker that ends keeps nothing',
  );
});
