import assert from 'node:assert/strict';
import { access, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TickhaulError } from '../../src/base/errors.js';
import { readQueueStatus } from '../../src/fleet/queue-commands.js';
import { createSharedPause, PAUSABLE_LIMITER, pauseAll } from '../../src/fleet/run-worker.js';
import { cleanUp, killAndWait } from '../helpers/clean-up.js';
import { envOf, start, succeeded, tickhaul } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { queueOf, startRedis } from '../helpers/redis.js';
import { sandbox } from '../helpers/sandbox.js';
import { tradesOf } from '../helpers/selection.js';
import { redisTest } from '../helpers/services.js';
import { namesIn, tempDir } from '../helpers/temp.js';
import { until } from '../helpers/until.js';
import {
  assertComplete,
  createRequestTrigger,
  createWork,
  FILES,
  requestedDayFiles,
  startShortLockWorker,
} from './helpers.js';

redisTest('another worker completes the slices of a killed worker', async (t) => {
  const { reached, onRequest } = createRequestTrigger(5);
  const work = await createWork(t, { latencyMs: 50, onRequest });
  const victim = startShortLockWorker(t, work);
  await Promise.race([reached, victim.finished]);
  victim.child.kill('SIGKILL');
  await victim.finished;
  const { exitCode, stderr } = await startShortLockWorker(t, work).finished;
  assert.equal(exitCode, 0, stderr);
  await assertComplete(work);
});

redisTest('a worker that lost slices to another warns once, and names the flag', async (t) => {
  const { reached, onRequest } = createRequestTrigger(5);
  const work = await createWork(t, { latencyMs: 50, onRequest });
  const frozen = startShortLockWorker(t, work);
  await Promise.race([reached, frozen.finished]);
  frozen.child.kill('SIGSTOP');
  assert.equal((await startShortLockWorker(t, work).finished).exitCode, 0);
  frozen.child.kill('SIGCONT');
  const { exitCode, stderr } = await frozen.finished;
  assert.equal(exitCode, 0, stderr);
  assert.equal(
    stderr.match(
      /the lock of a slice was not renewed within 1\.0s, so another worker may take the slice; raise --lock-duration/g,
    )?.length,
    1,
    stderr,
  );
});

redisTest('a slice that lost its worker too often is reported, and counts as failed', async (t) => {
  const { reached, onRequest } = createRequestTrigger(1);
  const work = await createWork(t, { latencyMs: 100, onRequest });
  const victim = start(['worker', '-j', '1', '--lock-duration', '1s'], { env: work.env });
  await Promise.race([reached, victim.finished]);
  victim.child.kill('SIGKILL');
  await victim.finished;
  const { queue, redis, close } = await queueOf(work.redis);
  const [lost] = await queue.getActive();
  const id = lost?.id ?? '';
  // As if five workers had lost it before.
  await redis.hset(queue.toKey(id), 'stc', 5);
  await close();
  const heir = await startShortLockWorker(t, work).finished;
  assert.equal(heir.exitCode, 3, heir.stderr);
  assert.equal(
    heir.stderr.match(/failed .*: its workers ended or stopped responding/g)?.length,
    1,
    heir.stderr,
  );
  const [failed] = JSON.parse((await runHere(['queue', 'failed', '--json'], work)).stdout) as {
    readonly id: string;
    readonly error: string;
  }[];
  assert.deepEqual([failed?.id, failed?.error.startsWith('its workers ended')], [id, true]);
  await succeeded(runHere(['queue', 'retry'], work));
  await succeeded(runHere(['worker', '--once', '-q'], work));
  await assertComplete(work);
});

redisTest('SIGTERM completes the files in flight, and returns the rest', async (t) => {
  const { reached, onRequest } = createRequestTrigger(1);
  const work = await createWork(t, { latencyMs: 100, onRequest });
  const { child, finished } = start(['worker', '-j', '1', '--json'], { env: work.env });
  await Promise.race([reached, finished]);
  child.kill('SIGTERM');
  const { exitCode, stdout, stderr } = await finished;
  assert.equal(exitCode, 143, stderr);
  assert.match(stdout, /"exitCode":143,.*"error":/);
  const rest = await tickhaul(['worker', '--once', '-q'], { env: work.env });
  assert.deepEqual([rest.exitCode, rest.stderr], [0, '']);
  await assertComplete(work);
  assert.equal(requestedDayFiles(work).length, FILES);
});

redisTest('a restart of Redis has no effect on the result', async (t) => {
  const { reached, onRequest } = createRequestTrigger(10);
  const work = await createWork(t, { latencyMs: 30, onRequest });
  const { finished } = startShortLockWorker(t, work);
  await Promise.race([reached, finished]);
  await work.redis.kill();
  await work.redis.restart();
  const { exitCode, stderr } = await finished;
  assert.equal(exitCode, 0, stderr);
  await assertComplete(work);
});

redisTest('SIGTERM stops a worker whose Redis is unreachable', async (t) => {
  const { reached, onRequest } = createRequestTrigger(1);
  const work = await createWork(t, { latencyMs: 100, onRequest });
  const { child, finished } = start(['worker', '-j', '1', '-q'], { env: work.env });
  await Promise.race([reached, finished]);
  await work.redis.kill();
  child.kill('SIGTERM');
  assert.equal((await finished).exitCode, 143);
});

redisTest('a rejected key stops only its worker, and the slices return to the queue', async (t) => {
  const work = await createWork(t);
  const env = { ...work.env, TICKHAUL_API_KEY: 'not-the-right-one' };
  const refused = await runHere(['worker', '--json'], { env });
  assert.equal(refused.exitCode, 4, refused.stderr);
  const keyless: Record<string, string> = { ...work.env };
  delete keyless['TICKHAUL_API_KEY'];
  assert.equal((await runHere(['worker'], { env: keyless })).exitCode, 4);
  const status = JSON.parse((await runHere(['queue', 'status', '--json'], work)).stdout) as Record<
    string,
    number
  >;
  assert.deepEqual([status['failed'], status['active'], status['delayed']], [0, 0, 0]);
  await succeeded(runHere(['worker', '--once', '-q'], work));
  await assertComplete(work);
});

redisTest(
  'the transfer limit pauses the queue, and the worker that reached it ends with code 5',
  async (t) => {
    const work = await createWork(t, { faults: { 'transfer-limit': 1 } });
    const ended = await runHere(['worker', '--json'], work);
    assert.equal(ended.exitCode, 5, ended.stderr);
    const other = await runHere(['worker', '--once', '-q'], work);
    assert.deepEqual([other.exitCode, /the queue is paused/.test(other.stderr)], [5, true]);
    const healthy = await sandbox(t, { rows: 50 });
    const env = { ...work.env, ...envOf(healthy, work.dir) };
    await runHere(['queue', 'resume'], { env });
    await succeeded(runHere(['worker', '--once', '-q'], { env }));
    await assertComplete(work);
  },
);

redisTest('after a 429 all workers wait for the requested time', async (t) => {
  const work = await createWork(t, { faults: { 'rate-limit': 1 }, retryAfterSeconds: 600 });
  const { finished, child } = start(['worker', '-q'], { env: work.env });
  cleanUp(t, () => killAndWait(child));
  const { signal } = new AbortController();
  const open = await queueOf(work.redis);
  cleanUp(t, () => open.close());
  const ttl = (): Promise<number> => open.queue.getRateLimitTtl(PAUSABLE_LIMITER.max);
  await until('the pause', async () => (await ttl()) > 0, finished);
  const left = await ttl();
  assert.ok(left > 500_000 && left <= 600_000, String(left));

  // A shorter pause changes nothing, and a file of another worker waits.
  await pauseAll(open, 1000);
  assert.ok((await ttl()) > 500_000);
  const ends = new AbortController();
  const pause = createSharedPause(open, ends.signal);
  const passed = pause.waitUntilOver(signal);
  assert.equal(await Promise.race([passed.then(() => 'passed'), open.redis.ping()]), 'PONG');
  // Stopping its worker does not take longer than that.
  ends.abort(new TickhaulError('terminated', 'ended'));
  await assert.rejects(passed, { code: 'terminated' });
  child.kill('SIGTERM');
  assert.equal((await finished).exitCode, 143);
});

redisTest('a wait longer than --max-wait pauses all workers, and fails no slice', async (t) => {
  const faults = { faults: { 'rate-limit': 1 }, retryAfterSeconds: 600 } as const;
  const work = await createWork(t, faults, ['--max-wait', '1m']);
  const ended = await runHere(['worker', '--once', '--json'], work);
  assert.equal(ended.exitCode, 5, ended.stdout);
  assert.match(ended.stdout, /"returned".*longer than --max-wait/);
  const open = await queueOf(work.redis);
  assert.ok((await open.queue.getRateLimitTtl(PAUSABLE_LIMITER.max)) > 500_000);
  const { waiting, failed, delayed } = await readQueueStatus(open);
  await open.close();
  assert.deepEqual([waiting > 0, failed, delayed], [true, 0, 0]);
});

redisTest(
  'a folder that is missing on a machine stops its worker, and the slices stay in the queue',
  async (t) => {
    const work = await createWork(t);
    await rm(work.dir, { recursive: true });
    const lost = await runHere(['worker'], work);
    assert.deepEqual(
      [lost.exitCode, lost.stderr.includes('no queue was filled for this folder; check that')],
      [8, true],
    );
    await assert.rejects(access(work.dir), { code: 'ENOENT' });
    const status = JSON.parse((await runHere(['queue', 'status', '--json'], work)).stdout) as Record<
      string,
      number
    >;
    assert.deepEqual([status['failed'], status['delayed']], [0, 0]);
  },
);

redisTest('days that no key covered at planning time do not delay the others', async (t) => {
  const service = await sandbox(t, {
    rows: 50,
    keyAccess: [
      {
        exchange: 'binance-futures',
        from: '2024-03-04T00:00:00.000Z',
        to: '2024-04-01T00:00:00.000Z',
        accessType: 'all',
        symbols: [],
        dataPlan: 'all',
      },
    ],
  });
  const redis = await startRedis(t);
  const dir = join(await tempDir(t), 'data');
  const env = { ...envOf(service, dir), TICKHAUL_QUEUE_URL: redis.url };
  const days = ['--from', '2024-03-02', '--to', '2024-03-07'];
  const put = await runHere(['enqueue', 'binance-futures', '-t', 'trades', '-s', 'BTCUSDT', ...days], {
    env,
  });
  assert.match(put.stderr, /left out: 2 days need an API key that covers them, and yours does not/);
  await succeeded(runHere(['worker', '--once'], { env }));
  assert.equal((await readdir(dir)).filter((name) => name.endsWith('.csv.gz')).length, 3);
});

redisTest(
  'slices of one day file in several folders, or with several conversions, are all done',
  async (t) => {
    const service = await sandbox(t, { rows: 50, latencyMs: 100 });
    const redis = await startRedis(t);
    const top = await tempDir(t);
    const inFolder = async (name: string, ...words: readonly string[]): Promise<void> => {
      const env = { ...envOf(service, join(top, name)), TICKHAUL_QUEUE_URL: redis.url };
      const { exitCode, stderr } = await runHere(words, { env });
      assert.equal(exitCode, 0, stderr);
    };
    const enqueue = ['enqueue', ...tradesOf('2024-03-01')];
    const requested = () => service.requests.filter(({ host }) => host === 'datasets').length;
    await inFolder('a', ...enqueue);
    await inFolder('a', ...enqueue, '--convert', 'parquet');
    await inFolder('b', ...enqueue);
    await inFolder('a', 'worker', '--once', '-j', '3');
    const stem = 'binance-futures_trades_2024-03-01_BTCUSDT';
    assert.deepEqual(await namesIn(join(top, 'a')), [`${stem}.csv.gz`, `${stem}.parquet`]);
    assert.deepEqual(await namesIn(join(top, 'b')), [`${stem}.csv.gz`]);
    assert.equal(requested(), 2);

    await inFolder('b', ...enqueue, '--existing', 'overwrite');
    await inFolder('b', 'worker', '--once');
    assert.equal(requested(), 3);
  },
);
