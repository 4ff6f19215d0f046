import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { envOf, failedWith, type JsonLine, jsonLines, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { queueOf } from '../../helpers/redis.js';
import { sandbox } from '../../helpers/sandbox.js';
import { redisTest } from '../../helpers/services.js';
import { DAYS, enqueue, FILES, type Fleet, filesIn, fleetOf, lastOf, NAMED, SLICES } from './fleet.js';

const statusOf = async (fleet: Fleet): Promise<Record<string, unknown>> =>
  JSON.parse((await fleet.run('queue', 'status', '--json')).stdout) as Record<string, unknown>;
const EMPTY = { waiting: 0, active: 0, delayed: 0, completed: 0, failed: 0, paused: false };

/** As if each slice had failed twice already, to skip the waits between attempts. */
async function allowOneTry({ redis }: Fleet): Promise<void> {
  const { queue, close } = await queueOf(redis);
  for (const { id = '', data } of await queue.getWaiting()) {
    await queue.remove(id);
    await queue.add('slice', data, { jobId: id, attempts: 1 });
  }
  await close();
}

redisTest(
  'workers share the queued slices, each file once; a second enqueue has nothing to add',
  async (t) => {
    const fleet = await fleetOf(t);
    const summary = { event: 'summary', exitCode: 0 };
    assert.deepEqual(await enqueue(fleet), { ...summary, slices: SLICES, added: SLICES, present: 0 });
    assert.deepEqual(await enqueue(fleet), { ...summary, slices: SLICES, added: 0, present: SLICES });
    assert.deepEqual(await statusOf(fleet), { ...EMPTY, waiting: SLICES });

    const workers = await Promise.all(
      [1, 2].map(() => tickhaul(['worker', '--once', '--json', '-j', '2'], { env: fleet.env })),
    );
    for (const { exitCode, stderr } of workers) assert.deepEqual([exitCode, stderr], [0, '']);
    const done = workers.flatMap((worker) => jsonLines(worker).filter(({ event }) => event === 'slice'));
    assert.equal(done.length, SLICES);
    assert.equal(
      done.reduce((sum, { downloaded }) => sum + Number(downloaded), 0),
      FILES,
    );
    assert.deepEqual(await statusOf(fleet), { ...EMPTY, completed: SLICES });
    assert.equal((await filesIn(fleet.dir)).length, FILES);
    assert.equal(new Set(fleet.requests()).size, fleet.requests().length);
    assert.equal((await fleet.run('verify')).exitCode, 0);
    assert.deepEqual(await enqueue(fleet), { ...summary, slices: 0, added: 0, present: 0 });

    // A missing file is queued again, though its slice had completed.
    const [first = ''] = await filesIn(fleet.dir);
    await rm(join(fleet.dir, first));
    assert.deepEqual(await enqueue(fleet), { ...summary, slices: 1, added: 1, present: 0 });
    assert.equal((await fleet.run('worker', '--once')).exitCode, 0);
    assert.equal((await filesIn(fleet.dir)).length, FILES);
  },
);

redisTest('shards of a pinned plan are separate slices; each file is downloaded once', async (t) => {
  const fleet = await fleetOf(t);
  const pin = join(fleet.dir, '..', 'plan.json');
  await succeeded(fleet.run('plan', ...NAMED, ...DAYS, '--layout', 'hive', '--pin', pin));
  const enqueuePinned = (...flags: readonly string[]) =>
    fleet.run('enqueue', '--pinned', pin, '--json', ...flags);
  for (const shard of ['0/2', '1/2']) {
    const summary = lastOf(await enqueuePinned('--shard', shard));
    assert.ok(Number(summary?.['added']) > 0, shard);
    assert.equal(summary?.['added'], summary?.['slices'], 'none of the other shard');
  }
  assert.equal((await fleet.run('worker', '--once')).exitCode, 0);
  assert.equal(fleet.requests().length, FILES);
  const [plan] = jsonLines(await fleet.run('plan', '--pinned', pin, '--json'));
  assert.deepEqual([plan?.['files'], plan?.['skip']], [FILES, FILES]);
  assert.deepEqual(lastOf(await enqueuePinned())?.['slices'], 0);

  for (const [flags, said] of [
    [['-t', 'trades'], /--pinned names the files; leave --type out/],
    [['--layout', 'flat'], /leave --layout out/],
    [['--shard', '5/5'], /"5\/5" is not a shard/],
  ] as const) {
    await failedWith(enqueuePinned(...flags), 2, said);
  }
});

redisTest('Redis holds no key, and commands on the queue need none', async (t) => {
  const fleet = await fleetOf(t);
  await enqueue(fleet, '--slice', '1d', '--convert', 'ndjson');
  const key = fleet.env['TICKHAUL_API_KEY'] ?? '-';
  const { default: Redis } = await import('ioredis');
  const redis = new Redis.default(fleet.redis.url);
  for (const name of await redis.keys('*')) {
    const dump = await redis.dumpBuffer(name);
    assert.ok(!dump?.includes(key), name);
  }
  redis.disconnect();
  delete fleet.env['TICKHAUL_API_KEY'];
  assert.deepEqual(await statusOf(fleet), { ...EMPTY, waiting: FILES });
  assert.match((await fleet.run('queue', 'status')).stdout, /^waiting\s+20\n/);
  assert.equal((await fleet.run('queue', 'drain')).stdout, '20 slices removed; enqueue queues them again\n');
  assert.deepEqual(await statusOf(fleet), EMPTY);
});

redisTest('a strict enqueue fails for missing days after it has queued the others', async (t) => {
  const fleet = await fleetOf(t);
  const tooLong = [
    'binance-futures',
    '-t',
    'trades',
    '-s',
    'BTCUSDT',
    '--from',
    '2024-03-08',
    '--to',
    '2024-03-12',
  ];
  const strict = await fleet.run('enqueue', ...tooLong, '--strict', '--json');
  assert.deepEqual(lastOf(strict), { event: 'summary', exitCode: 7, slices: 1, added: 1, present: 0 });
  assert.deepEqual([strict.exitCode, /2 day files pending/.test(strict.stderr)], [7, true]);
  const asked = await fleet.run('enqueue', ...tooLong, '--yes');
  assert.deepEqual([asked.exitCode, /unknown flag --yes/.test(asked.stderr)], [2, true]);
});

redisTest('with --fail-fast a slice ends at its first failed file', async (t) => {
  // After the end of a body, the next file does not wait for its verification.
  const fleet = await fleetOf(t, { faults: { '500': 1 } });
  await enqueue(fleet, '--retries', '0', '--to', '2024-03-01', '-t', 'trades', '--fail-fast', '-j', '1');
  await allowOneTry(fleet);
  assert.equal((await fleet.run('worker', '--once', '-j', '1')).exitCode, 3);
  for (const flags of [['--quiet'], ['--json', '--quiet']]) {
    const { exitCode, stderr } = await fleet.run('worker', '--once', ...flags);
    assert.equal(exitCode, 3, stderr);
    assert.match(stderr, /^error {3}\d+ slices? of the queue failed: tickhaul queue failed lists them.*\n$/);
  }
  assert.equal(fleet.requests().length, 2, 'of two slices with two files each');
});

redisTest('a failed slice is retried, reported with its days, and queued again by retry', async (t) => {
  const fleet = await fleetOf(t, { faults: { 'bit-flip': 1 } });
  await enqueue(fleet, '--retries', '0', '--to', '2024-03-01', '-t', 'trades');
  await allowOneTry(fleet);
  const worker = await fleet.run('worker', '--once', '--json');
  assert.equal(worker.exitCode, 3, worker.stderr);
  const failed = JSON.parse((await fleet.run('queue', 'failed', '--json')).stdout) as JsonLine[];
  assert.equal(failed.length, 2);
  for (const { exchange, dataType, from, to, attempts, error } of failed) {
    assert.deepEqual(
      [exchange, dataType, from, to, attempts],
      ['binance-futures', 'trades', '2024-02-28', '2024-03-01', 1],
    );
    assert.match(String(error), /^2024-02-28, 2024-02-29: /);
  }
  assert.match((await fleet.run('queue', 'failed')).stdout, /1 attempt: 2024-02-28/);
  const unknown = await fleet.run('queue', 'retry', 'nosuch');
  assert.deepEqual([unknown.exitCode, unknown.stderr.includes('"nosuch" is not a failed slice')], [2, true]);
  const healthy = await sandbox(t, { rows: 50 });
  const env = { ...fleet.env, ...envOf(healthy, fleet.dir) };
  assert.equal((await fleet.run('queue', 'retry', String(failed[0]?.['id']))).exitCode, 0);
  assert.equal((await fleet.run('queue', 'retry')).stdout, '1 slice queued again\n');
  await succeeded(runHere(['worker', '--once'], { env }));
  assert.equal((await filesIn(fleet.dir)).length, 4);
});
