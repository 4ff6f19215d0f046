import assert from 'node:assert/strict';
import { copyFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { queueOf } from '../../helpers/redis.js';
import { redisTest } from '../../helpers/services.js';
import { enqueue, FILES, filesIn, fleetOf, NAMED } from './fleet.js';

redisTest('plans without slices are removed after a day', async (t) => {
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
  // The second plan is from today.
  assert.deepEqual([after.length, after.includes(first)], [2, false]);
  await open.close();
  assert.equal((await fleet.run('worker', '--once')).exitCode, 0);
});

redisTest(
  'a queue that removes its plan keeps the same plan of another queue, also with old names',
  async (t) => {
    const fleet = await fleetOf(t);
    const dir = join(fleet.dir, '.tickhaul', 'plans');
    const plans = async (): Promise<readonly string[]> => (await readdir(dir)).sort();
    await enqueue(fleet);
    const [own = ''] = await plans();
    await enqueue(fleet, '--queue', 'other');
    const [theirs = ''] = (await plans()).filter((name) => name !== own);
    const [, sum = ''] = own.split('-');
    assert.deepEqual(theirs.split('-').slice(1), [sum], 'one plan under two names');

    // Earlier, all queues shared one name of it: each noted it, and slices name it.
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
  },
);
