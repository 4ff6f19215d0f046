import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Job } from 'bullmq';
import { parseDay } from '../../src/day-files/day.js';
import type { OpenQueue } from '../../src/fleet/open-queue.js';
import { renewPlan, sealPlan } from '../../src/fleet/plan-seal.js';
import type { SliceJob } from '../../src/fleet/slice-job.js';
import { envOf, jsonLines, succeeded } from '../helpers/cli.js';
import { gated, opening } from '../helpers/gate.js';
import { runHere } from '../helpers/in-process.js';
import { queueOf, startRedis } from '../helpers/redis.js';
import { sandbox } from '../helpers/sandbox.js';
import { type ContextWith, redisTest } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';

const SERIES = ['binance-futures', '-t', 'trades', '-s', 'BTCUSDT', '--from', '2024-03-01', '-j', '1'];

redisTest('a slice that gets a newer plan while it is active includes its newer days', async (t) => {
  const earlier = await sandbox(t, { rows: 50, exportedUntil: parseDay('2024-03-08') });
  const [asked, enqueued] = [opening(), opening()];
  // The slice gets no day file before it has the newer plan.
  const later = await gated(t, await sandbox(t, { rows: 50, exportedUntil: parseDay('2024-03-10') }), () => {
    asked.open();
    return enqueued.opened;
  });
  const dir = join(await tempDir(t), 'data');
  const { url } = await startRedis(t);
  const [before, env] = [earlier, later].map((service) => ({
    ...envOf(service, dir),
    TICKHAUL_QUEUE_URL: url,
  }));
  await succeeded(runHere(['enqueue', ...SERIES], { env: before ?? {} }));
  const working = runHere(['worker', '--once', '--json'], { env: env ?? {} });
  await Promise.race([asked.opened, working]);
  const again = await runHere(['enqueue', ...SERIES, '--json'], { env: env ?? {} });
  assert.deepEqual(jsonLines(again).at(-1), {
    event: 'summary',
    exitCode: 0,
    slices: 1,
    added: 0,
    present: 1,
  });
  enqueued.open();
  const worked = await working;
  const slices = jsonLines(worked).filter(({ event }) => event === 'slice');
  assert.deepEqual(
    slices.map(({ status, downloaded, error }) => [status, downloaded, error]),
    [
      ['returned', 7, 'enqueue has replaced its plan'],
      ['done', 2, undefined],
    ],
  );
  assert.equal(worked.exitCode, 0, worked.stderr);
});

interface ActiveSlice {
  readonly open: OpenQueue;
  readonly job: Job<SliceJob>;
  readonly newer: SliceJob;
  complete(): Promise<unknown>;
}

/** A slice that is active in a worker. */
async function activeSlice(t: ContextWith<'redis'>): Promise<ActiveSlice> {
  const open = await queueOf(await startRedis(t));
  const data = { plan: 'older' } as SliceJob;
  await open.queue.add('slice', data, { jobId: 'slice-1' });
  const worker = new open.bullmq.Worker<SliceJob>(open.queue.name, null, {
    connection: open.connect(),
    autorun: false,
  });
  const job = await worker.getNextJob('token');
  if (!job) return assert.fail('no slice');
  return {
    open,
    job,
    newer: { ...data, plan: 'newer' },
    async complete() {
      await job.moveToCompleted(undefined, 'token', false);
      await worker.close();
    },
  };
}

redisTest('a slice that is about to complete by the older plan is added to the queue again', async (t) => {
  const { open, job, newer, complete } = await activeSlice(t);
  assert.equal(await sealPlan(open, job), true);
  const renewed = renewPlan(open, 'slice-1', newer);
  await complete();
  assert.equal(await renewed, false);
  await open.close();
});

redisTest(
  'a slice with a newer plan does not complete by the older one, and a removed one is not created again',
  async (t) => {
    const { open, job, newer, complete } = await activeSlice(t);
    assert.equal(await renewPlan(open, 'slice-1', newer), true);
    assert.equal(await sealPlan(open, job), false);
    await complete();
    await open.redis.flushall();
    assert.equal(await sealPlan(open, job), true);
    assert.equal(await open.redis.dbsize(), 0);
    await open.close();
  },
);
