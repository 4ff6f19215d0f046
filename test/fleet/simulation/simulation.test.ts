/** `npm run simulate` runs it in full: 1,000 workers, 1,000 shards, 10 million files. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { secondsSince } from '../../../src/base/units.js';
import { inShard } from '../../../src/dataset/shard.js';
import type { PinnedPlan } from '../../../src/download/lists/pin.js';
import { enqueue } from '../../../src/fleet/enqueue.js';
import { type OpenQueue, openQueue } from '../../../src/fleet/redis.js';
import { openFolder } from '../../../src/store/folder/folder-destination.js';
import { NO_REDIS, startRedis, type TestRedis } from '../../helpers/redis.js';
import { tempDir } from '../../helpers/temp.js';
import { Count, countFiles, DAYS, MONTHS, pinOfSymbols, planOf, SERIES_A_SYMBOL } from './archive.js';
import type { WorkersResult, WorkersTask } from './workers-child.js';

const run = promisify(execFile);
const IS_FULL = process.env['FULL'] !== undefined;
const PROCESSES = 2;
/** What ten million files may take. */
const MOST_SECONDS = 120;
const MOST_BYTES = 1e9;

test('a thousand shards have nothing in common, and miss nothing', async () => {
  const plan = await planOf(pinOfSymbols(10));
  const files = [...plan.inOrder()].map(({ file }) => file).slice(0, IS_FULL ? undefined : 2000);
  const owners = new Map(files.map((file) => [file, 0]));
  for (let index = 0; index < 1000; index++) {
    const isOurs = inShard({ index, count: 1000 });
    for (const file of files) if (isOurs(file)) owners.set(file, (owners.get(file) ?? 0) + 1);
  }
  assert.deepEqual(new Set(owners.values()), new Set([1]));
});

test(`${IS_FULL ? 1000 : 50} workers share a queue`, { skip: NO_REDIS, timeout: 290_000 }, async (t) => {
  const { redis, open } = await queueFor(t);
  const workers = IS_FULL ? 500 : 25;
  const symbols = IS_FULL ? 84 : 2;
  const { slices, count } = await put(t, open, pinOfSymbols(symbols));
  const task = { url: redis.url, workers, concurrency: 1, sliceMs: IS_FULL ? 300 : 20 };
  const results = await runWorkers(t, task);
  assertAll(results, slices, count);
  // Nobody has it all.
  for (const { done } of results) assert.ok(done > 0);
});

test(`${IS_FULL ? 'ten million files' : '15,000 files'} through the queue`, {
  skip: NO_REDIS,
  timeout: 290_000,
}, async (t) => {
  const { redis, open } = await queueFor(t);
  const { slices, count, seconds: enqueued } = await put(t, open, pinOfSymbols(IS_FULL ? 1370 : 2));
  const began = performance.now();
  const results = await runWorkers(t, { url: redis.url, workers: 1, concurrency: 50, sliceMs: 0 });
  const seconds = enqueued + secondsSince(began);
  assertAll(results, slices, count);
  const info = await open.redis.info('memory');
  const inRedis = Number(/^used_memory_peak:(\d+)/m.exec(info)?.[1]);
  const own = process.resourceUsage().maxRSS * 1024;
  const bytes = results.reduce((sum, { memory }) => sum + memory, inRedis + own);
  t.diagnostic(
    `${count.files} files in ${slices} slices: enqueued in ${enqueued.toFixed(0)} s, all in ${seconds.toFixed(0)} s; ` +
      `${(bytes / 1e6).toFixed(0)} MB, ${(inRedis / 1e6).toFixed(0)} of it in Redis`,
  );
  if (!IS_FULL) return;
  assert.ok(seconds < MOST_SECONDS, `${seconds} s`);
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
});

async function queueFor(t: TestContext): Promise<{ readonly redis: TestRedis; readonly open: OpenQueue }> {
  const redis = await startRedis(t, ['--appendfsync', 'no']);
  const { signal } = new AbortController();
  const open = await openQueue({ url: redis.url, name: 'tickhaul', warn: () => {}, signal });
  t.after(() => open.close());
  return { redis, open };
}

interface Filled {
  readonly slices: number;
  /** Of the plan. */
  readonly count: Count;
  /** That it took, without the count. */
  readonly seconds: number;
}

async function put(t: TestContext, open: OpenQueue, pin: PinnedPlan): Promise<Filled> {
  const destination = openFolder(join(await tempDir(t), 'data'));
  const plan = await planOf(pin);
  const series = pin.record.datasets?.symbols.length ?? 0;
  const began = performance.now();
  const { slices, added } = await enqueue({
    ...{ open, pin, plan, destination, range: plan.range, sliceDays: undefined },
    options: {
      concurrency: 'auto',
      retries: 8,
      maxWaitMs: 1000,
      existing: 'skip',
      failFast: false,
      strict: false,
    },
    maxSlices: 100_000,
    signal: new AbortController().signal,
  });
  const seconds = secondsSince(began);
  assert.deepEqual([slices, added], [series * SERIES_A_SYMBOL * MONTHS, slices]);
  const count = new Count();
  await countFiles(plan, count);
  assert.equal(count.files, series * SERIES_A_SYMBOL * DAYS);
  return { slices, count, seconds };
}

function runWorkers({ signal }: TestContext, task: WorkersTask): Promise<readonly WorkersResult[]> {
  const script = join(import.meta.dirname, 'workers-child.js');
  return Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const { stdout, stderr } = await run(process.execPath, [script, JSON.stringify(task)], { signal });
      assert.equal(stderr, '');
      return JSON.parse(stdout) as WorkersResult;
    }),
  );
}

/** Each file was in one slice, and each slice was worked on once. */
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
