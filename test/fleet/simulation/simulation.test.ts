/** `npm run test:nightly -- simulation` runs the full size: 1,000 workers, 1,000 shards, 10 million files. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { secondsSince } from '../../../src/base/units.js';
import { createShardTest } from '../../../src/day-files/shard.js';
import { queueOf, startRedis, type TestRedis } from '../../helpers/redis.js';
import { redisTest } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import {
  Count,
  countFiles,
  createPlan,
  createPlanInputs,
  DAYS,
  MONTHS,
  SERIES_PER_SYMBOL,
} from './archive.js';
import type { EnqueueResult, EnqueueTask } from './enqueue-child.js';
import type { WorkersResult, WorkersTask } from './workers-child.js';

const run = promisify(execFile);
const IS_FULL = process.env['FULL'] !== undefined;
const PROCESSES = 2;
/** Persistence is off, so that it is not measured. */
const IN_MEMORY = ['--appendonly', 'no'];
/** Limits for ten million files. */
const MAX_SECONDS = 120;
const MAX_BYTES = 1.1e9;

test('a thousand shards are disjoint and complete', async () => {
  const plan = await createPlan(createPlanInputs(10));
  const files = [...plan.filesInPathOrder()].map(({ file }) => file).slice(0, IS_FULL ? undefined : 2000);
  const owners = new Map(files.map((file) => [file, 0]));
  for (let index = 0; index < 1000; index++) {
    const isOurs = createShardTest({ index, count: 1000 });
    for (const file of files) if (isOurs(file)) owners.set(file, (owners.get(file) ?? 0) + 1);
  }
  assert.deepEqual(new Set(owners.values()), new Set([1]));
});

redisTest(`${IS_FULL ? 1000 : 50} workers share a queue`, { timeout: 290_000 }, async (t) => {
  const redis = await startRedis(t, IN_MEMORY);
  const workers = IS_FULL ? 500 : 25;
  const { slices, count } = await put(t, redis, IS_FULL ? 84 : 2);
  const task = { url: redis.url, workers, concurrency: 1, sliceMs: IS_FULL ? 300 : 20 };
  const results = await runWorkers(t, task);
  assertAll(results, slices, count);
  // No worker processed everything.
  for (const { done } of results) assert.ok(done > 0);
});

redisTest(
  `${IS_FULL ? 'ten million files' : '15,000 files'} through the queue`,
  { timeout: 290_000 },
  async (t) => {
    const redis = await startRedis(t, IN_MEMORY);
    const { slices, count, filled } = await put(t, redis, IS_FULL ? 1370 : 2);
    const began = performance.now();
    const results = await runWorkers(t, { url: redis.url, workers: 1, concurrency: 50, sliceMs: 0 });
    const seconds = filled.seconds + secondsSince(began);
    assertAll(results, slices, count);
    const inRedis = await peakMemory(redis);
    const ofWorkers = results.reduce((sum, { memory }) => sum + memory, 0);
    // The queue was filled before the workers started.
    const bytes = inRedis + Math.max(filled.memory, ofWorkers);
    t.diagnostic(
      `${count.files} files in ${slices} slices: enqueued in ${filled.seconds.toFixed(0)} s, all in ${seconds.toFixed(0)} s; ` +
        `${(bytes / 1e6).toFixed(0)} MB, ${(inRedis / 1e6).toFixed(0)} of it in Redis`,
    );
    if (!IS_FULL) return;
    assert.ok(seconds < MAX_SECONDS, `${seconds} s`);
    assert.ok(bytes < MAX_BYTES, `${bytes} bytes`);
  },
);

interface Filled {
  readonly slices: number;
  /** Of the plan. */
  readonly count: Count;
  readonly filled: EnqueueResult;
}

async function put(t: TestContext, { url }: TestRedis, symbols: number): Promise<Filled> {
  const task: EnqueueTask = { url, symbols, dir: join(await tempDir(t), 'data') };
  const filled = await runChild<EnqueueResult>(t, 'enqueue-child.js', task);
  const slices = symbols * SERIES_PER_SYMBOL * MONTHS;
  assert.deepEqual([filled.slices, filled.added], [slices, slices]);
  const count = new Count();
  await countFiles(await createPlan(createPlanInputs(symbols)), count);
  assert.equal(count.files, symbols * SERIES_PER_SYMBOL * DAYS);
  return { slices, count, filled };
}

function runWorkers(t: TestContext, work: Omit<WorkersTask, 'processes'>): Promise<readonly WorkersResult[]> {
  const task: WorkersTask = { ...work, processes: PROCESSES };
  return Promise.all(
    Array.from({ length: PROCESSES }, () => runChild<WorkersResult>(t, 'workers-child.js', task)),
  );
}

async function runChild<Result>({ signal }: TestContext, script: string, task: unknown): Promise<Result> {
  const args = [join(import.meta.dirname, script), JSON.stringify(task)];
  const { stdout, stderr } = await run(process.execPath, args, { signal });
  assert.equal(stderr, '');
  return JSON.parse(stdout) as Result;
}

/** Bytes. */
async function peakMemory(redis: TestRedis): Promise<number> {
  const open = await queueOf(redis);
  const info = await open.redis.info('memory').finally(() => open.close());
  return Number(/^used_memory_peak:(\d+)/m.exec(info)?.[1]);
}

/** Each file was in exactly one slice, and each slice was processed once. */
function assertAll(results: readonly WorkersResult[], slices: number, expected: Count): void {
  const found = new Count();
  for (const result of results) found.addAll(result);
  assert.deepEqual([found.files, found.sum], [expected.files, expected.sum]);
  assert.equal(
    results.reduce((sum, { done }) => sum + done, 0),
    slices,
  );
  assert.deepEqual(
    results.map(({ exitCodes }) => exitCodes),
    results.map(() => [0]),
  );
}
