import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { cleanUp, killAndWait } from '../../helpers/clean-up.js';
import { jsonLines, start, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { startRedis } from '../../helpers/redis.js';
import { type ContextWith, queueAndStoreTest } from '../../helpers/services.js';
import { DOWNLOAD, NAMES, storeRig } from '../store/rig.js';

const RECORDS = /\/\.tickhaul\/manifest\//;
const WORKER = ['worker', '--once', '--json', '-j', '1', '--lock-duration', '1s'];

/** An empty queue and an empty store. */
async function fleetOn(t: ContextWith<'redis' | 'store'>) {
  const rig = await storeRig(t);
  const redis = await startRedis(t);
  const env: Record<string, string> = { ...rig.env, TICKHAUL_QUEUE_URL: redis.url };
  const [, ...selection] = DOWNLOAD;
  const enqueue = () => runHere(['enqueue', ...selection, '--dir', rig.at('data'), '--json'], { env });
  return { rig, redis, env, enqueue };
}

queueAndStoreTest(
  'workers download slices to the store that the slice names; a worker killed before its records leaves no work undone',
  async (t) => {
    const { rig, redis, env, enqueue } = await fleetOn(t);
    const put = await enqueue();
    assert.equal(jsonLines(put).at(-1)?.['added'], NAMES.length, put.stderr);

    const client = new Redis(redis.url);
    for (const name of await client.keys('*')) {
      const dump = await client.dumpBuffer(name);
      for (const secret of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'TICKHAUL_API_KEY'])
        assert.ok(!dump?.includes(env[secret] ?? '-'), `${secret} in ${name}`);
    }
    client.disconnect();

    // The store's address comes from the slice, the credentials from the worker's environment.
    const { AWS_ENDPOINT_URL_S3: _, ...own } = env;
    const victim = start(WORKER, { env: own });
    cleanUp(t, () => killAndWait(victim.child));
    const met = rig.shim.harm('PutObject', 'silence', 1, RECORDS);
    const early = await Promise.race([met.then(() => undefined), victim.finished]);
    assert.equal(early, undefined, early?.stderr);
    const exited = once(victim.child, 'exit');
    victim.child.kill('SIGKILL');
    await exited;
    assert.equal(victim.child.exitCode, null);
    const standing = (await rig.files('data')).length;
    assert.equal(standing, 1, 'one object, and no record of it');
    assert.deepEqual(await rig.assertTrue('data'), []);

    const heir = await start(WORKER, { env: own }).finished;
    assert.equal(heir.exitCode, 0, heir.stdout + heir.stderr);
    assert.deepEqual(await rig.files('data'), NAMES);
    assert.deepEqual(await rig.assertTrue('data'), NAMES);
    assert.equal(rig.asked().length, NAMES.length, 'what stands is adopted');
    const again = await enqueue();
    assert.equal(jsonLines(again).at(-1)?.['slices'], 0, again.stderr);
  },
);

queueAndStoreTest('a worker does not wait for a silent store after a signal', async (t) => {
  const { rig, env, enqueue } = await fleetOn(t);
  await succeeded(enqueue());
  const locks = /\/\.tickhaul\/locks\//;
  const met = rig.shim.harm('PutObject', 'silence', 1, locks);
  const worker = start(['worker', '-j', '1', '--json'], { env });
  cleanUp(t, () => killAndWait(worker.child));
  const early = await Promise.race([met.then(() => undefined), worker.finished]);
  assert.equal(early, undefined, early?.stderr);
  worker.child.kill('SIGTERM');
  const ended = await worker.finished;
  assert.equal(ended.exitCode, 143, ended.stdout + ended.stderr);
  const leases = rig.shim.calls.filter(({ operation, key }) => operation === 'PutObject' && locks.test(key));
  assert.equal(leases.length, 1, 'it is not put again');
  assert.deepEqual(await rig.bucket.keys('data/.tickhaul/locks/'), []);
  assert.deepEqual(rig.asked(), []);
});
