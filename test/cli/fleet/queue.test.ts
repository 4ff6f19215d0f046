import assert from 'node:assert/strict';
import { copyFile, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { SandboxOptions } from '../../../src/sandbox/options.js';
import { envOf, type Finished, type JsonLine, jsonLines, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { NO_REDIS, queueOf, startRedis, type TestRedis } from '../../helpers/redis.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { namesIn } from '../../verify/helpers.js';

/** Day files of a folder that has the cache of records in it. */
const filesIn = async (dir: string): Promise<readonly string[]> =>
  (await namesIn(dir)).filter((name) => name.endsWith('.csv.gz'));

const NAMED = ['binance-futures', '-t', 'trades,quotes', '-s', 'BTCUSDT,ETHUSDT'];
const DAYS = ['--from', '2024-02-28', '--to', '2024-03-04'];
/** Two series of two symbols in two months. */
const SLICES = 8;
const FILES = 20;

interface Fleet {
  readonly redis: TestRedis;
  readonly dir: string;
  readonly env: Record<string, string>;
  readonly requests: () => readonly string[];
  run(...args: readonly string[]): Promise<Finished>;
}

async function fleetOf(t: TestContext, options: SandboxOptions = {}): Promise<Fleet> {
  const service = await sandbox(t, { rows: 50, ...options });
  const redis = await startRedis(t);
  const dir = join(await tempDir(t), 'data');
  const env = { ...envOf(service, dir), TICKHAUL_QUEUE_URL: redis.url };
  const requests = (): readonly string[] =>
    service.requests.filter(({ host }) => host === 'datasets').map(({ url }) => url);
  return { redis, dir, env, requests, run: (...args) => runHere(args, { env }) };
}

const lastOf = (ended: Finished): JsonLine | undefined => jsonLines(ended).at(-1);
const statusOf = async (fleet: Fleet): Promise<Record<string, unknown>> =>
  JSON.parse((await fleet.run('queue', 'status', '--json')).stdout) as Record<string, unknown>;
const EMPTY = { waiting: 0, active: 0, delayed: 0, completed: 0, failed: 0, paused: false };

async function enqueue(fleet: Fleet, ...flags: readonly string[]): Promise<JsonLine | undefined> {
  const days = flags.includes('--to') ? DAYS.slice(0, 2) : DAYS;
  const types = flags.includes('-t')
    ? NAMED.filter((word) => word !== '-t' && !word.includes('trades'))
    : NAMED;
  const ended = await fleet.run('enqueue', ...types, ...days, '--json', ...flags);
  assert.equal(ended.exitCode, 0, ended.stderr);
  return lastOf(ended);
}

/** As if each slice had failed twice already: without the waits between tries. */
async function allowOneTry({ redis }: Fleet): Promise<void> {
  const { queue, close } = await queueOf(redis);
  for (const { id = '', data } of await queue.getWaiting()) {
    await queue.remove(id);
    await queue.add('slice', data, { jobId: id, attempts: 1 });
  }
  await close();
}

test('workers share what enqueue put there, each file once; a second enqueue finds nothing to do', {
  skip: NO_REDIS,
}, async (t) => {
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

  // What is missing again is put there again, though its slice had ended.
  const [first = ''] = await filesIn(fleet.dir);
  await rm(join(fleet.dir, first));
  assert.deepEqual(await enqueue(fleet), { ...summary, slices: 1, added: 1, present: 0 });
  assert.equal((await fleet.run('worker', '--once')).exitCode, 0);
  assert.equal((await filesIn(fleet.dir)).length, FILES);
});

test('shards of a pinned plan are slices of their own; each file comes once', {
  skip: NO_REDIS,
}, async (t) => {
  const fleet = await fleetOf(t);
  const pin = join(fleet.dir, '..', 'plan.json');
  const planned = await fleet.run('plan', ...NAMED, ...DAYS, '--layout', 'hive', '--pin', pin);
  assert.equal(planned.exitCode, 0, planned.stderr);
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
    [['--shard', '5/5'], /"5\/5" is no shard/],
  ] as const) {
    const { exitCode, stderr } = await enqueuePinned(...flags);
    assert.equal(exitCode, 2);
    assert.match(stderr, said);
  }
});

test('no key is in Redis, and none is needed to look at the queue', { skip: NO_REDIS }, async (t) => {
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
  assert.equal(
    (await fleet.run('queue', 'drain')).stdout,
    '20 slices dropped; enqueue puts them there again\n',
  );
  assert.deepEqual(await statusOf(fleet), EMPTY);
});

test('plans that no slice names any more go, once they are a day old', { skip: NO_REDIS }, async (t) => {
  const fleet = await fleetOf(t);
  const plans = async (): Promise<readonly string[]> =>
    (await readdir(join(fleet.dir, '.tickhaul', 'plans'))).sort();
  const days = (from: string): readonly string[] => ['--from', from, '--to', '2024-03-04'];
  const put = async (from: string): Promise<void> => {
    const ended = await fleet.run('enqueue', ...NAMED, ...days(from));
    assert.equal(ended.exitCode, 0, ended.stderr);
  };
  await put('2024-03-01');
  const [first = ''] = await plans();
  const open = await queueOf(fleet.redis);
  const age = async (): Promise<void> => {
    const key = open.queue.toKey('plans');
    for (const member of await open.redis.zrange(key, 0, -1)) await open.redis.zadd(key, 1, member);
  };
  await age();
  await put('2024-03-02');
  assert.equal((await plans()).length, 2, 'slices of the first wait');
  await open.queue.drain();
  await put('2024-03-03');
  const after = await plans();
  // The second is of today.
  assert.deepEqual([after.length, after.includes(first)], [2, false]);
  await open.close();
  assert.equal((await fleet.run('worker', '--once')).exitCode, 0);
});

test('a queue that removes its plan leaves the same plan of another queue, under old names too', {
  skip: NO_REDIS,
}, async (t) => {
  const fleet = await fleetOf(t);
  const dir = join(fleet.dir, '.tickhaul', 'plans');
  const plans = async (): Promise<readonly string[]> => (await readdir(dir)).sort();
  await enqueue(fleet);
  const [own = ''] = await plans();
  await enqueue(fleet, '--queue', 'other');
  const [theirs = ''] = (await plans()).filter((name) => name !== own);
  const [, sum = ''] = own.split('-');
  assert.deepEqual(theirs.split('-').slice(1), [sum], 'one plan under two names');

  // Before, all queues had one name for it: each noted it, and slices name it.
  await copyFile(join(dir, own), join(dir, sum));
  const other = await queueOf(fleet.redis, 'other');
  const [slice] = await other.queue.getWaiting();
  await slice?.updateData({ ...slice.data, pin: basename(sum, '.json') });
  await other.close();
  const { queue, redis, close } = await queueOf(fleet.redis);
  const key = queue.toKey('plans');
  for (const name of [own, sum]) await redis.zadd(key, 1, `${fleet.dir} ${basename(name, '.json')}`);
  await queue.drain();
  await close();
  await enqueue(fleet, '-t', 'trades');

  const left = await plans();
  assert.deepEqual([left.length, left.includes(own)], [3, false]);
  assert.ok([theirs, sum].every((name) => left.includes(name)));
  const worked = await fleet.run('worker', '--once', '--queue', 'other');
  assert.equal(worked.exitCode, 0, worked.stderr);
  assert.equal((await filesIn(fleet.dir)).length, FILES);
});

test('days that are not there make a strict enqueue fail, once the rest is in the queue', {
  skip: NO_REDIS,
}, async (t) => {
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

test('with --fail-fast a slice ends at its first failed file', { skip: NO_REDIS }, async (t) => {
  // Of a body that ended, the next file doesn't wait for the proof.
  const fleet = await fleetOf(t, { faults: { '500': 1 } });
  await enqueue(fleet, '--retries', '0', '--to', '2024-03-01', '-t', 'trades', '--fail-fast', '-j', '1');
  await allowOneTry(fleet);
  assert.equal((await fleet.run('worker', '--once', '-j', '1')).exitCode, 3);
  assert.equal(fleet.requests().length, 2, 'of two slices with two files each');
});

test('a slice that fails is tried again, told with its days, and put back by retry', {
  skip: NO_REDIS,
}, async (t) => {
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
  assert.deepEqual([unknown.exitCode, unknown.stderr.includes('"nosuch" is no failed slice')], [2, true]);
  const healthy = await sandbox(t, { rows: 50 });
  const env = { ...fleet.env, ...envOf(healthy, fleet.dir) };
  assert.equal((await fleet.run('queue', 'retry', String(failed[0]?.['id']))).exitCode, 0);
  assert.equal((await fleet.run('queue', 'retry')).stdout, '1 slice put into the queue again\n');
  assert.equal((await runHere(['worker', '--once'], { env })).exitCode, 0);
  assert.equal((await filesIn(fleet.dir)).length, 4);
});
