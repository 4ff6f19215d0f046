import assert from 'node:assert/strict';
import { test } from 'node:test';
import { envOf, failedWith, tickhaul } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { queueOf, startRedis } from '../helpers/redis.js';
import { sandbox } from '../helpers/sandbox.js';
import { redisTest } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';

test('an invalid, missing or unreachable address is reported in one line', async (t) => {
  const env = envOf(await sandbox(t), await tempDir(t));
  const errorOf = async (url: string | undefined): Promise<readonly [number | null, string]> => {
    const all = url === undefined ? env : { ...env, TICKHAUL_QUEUE_URL: url };
    const { exitCode, stderr } = await runHere(['queue', 'status'], { env: all });
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    assert.ok(!stderr.includes('secret'), stderr);
    return [exitCode, stderr];
  };
  for (const [url, code, pattern] of [
    [undefined, 2, /TICKHAUL_QUEUE_URL is not set/],
    ['http://u:secret@host', 2, /is not the URL of a Redis server/],
    ['redis://u:secret@host/abc', 2, /is not the URL of a Redis server/],
    ['redis://u:secret@host?db=', 2, /is not the URL of a Redis server/],
    ['redis://u:secret@host?db=-1', 2, /is not the URL of a Redis server/],
    ['redis://u:secret@127.0.0.1:1', 5, /Redis at 127\.0\.0\.1:1 cannot be reached .*ECONNREFUSED/],
  ] as const) {
    const [exitCode, stderr] = await errorOf(url);
    assert.equal(exitCode, code);
    assert.match(stderr, pattern);
  }
});

redisTest('slices are never added to another database than the configured one', async (t) => {
  const env = envOf(await sandbox(t), await tempDir(t));
  const { url } = await startRedis(t, ['--databases', '2']);
  const statusOf = (path: string) =>
    runHere(['queue', 'status'], { env: { ...env, TICKHAUL_QUEUE_URL: `${url}${path}` } });
  for (const path of ['/2', '/99999999999', '?db=2']) {
    const refused = await statusOf(path);
    assert.deepEqual([refused.exitCode, refused.stdout], [2, '']);
    assert.match(refused.stderr, /Redis at \S+ has no database \d+: name another/);
  }
  for (const path of ['', '/', '/1', '/1/', '?db=1']) assert.equal((await statusOf(path)).exitCode, 0);
});

redisTest('a Redis that requires a password or evicts keys is reported', async (t) => {
  const env = envOf(await sandbox(t), await tempDir(t));
  const { url } = await startRedis(t, ['--requirepass', 'secret', '--maxmemory-policy', 'allkeys-lru']);
  await failedWith(
    runHere(['queue', 'status'], { env: { ...env, TICKHAUL_QUEUE_URL: url } }),
    4,
    /refused the sign-in \(NOAUTH/,
  );
  const withSecret = url.replace('//', '//:secret@');
  const warned = await runHere(['queue', 'status'], { env: { ...env, TICKHAUL_QUEUE_URL: withSecret } });
  assert.deepEqual([warned.exitCode, warned.stderr.includes('maxmemory-policy allkeys-lru')], [0, true]);
});

redisTest(
  'the Redis client prints nothing itself: with an unneeded password, and for a user without INFO',
  async (t) => {
    const env = envOf(await sandbox(t), await tempDir(t));
    const redis = await startRedis(t);
    const { redis: admin, close } = await queueOf(redis);
    await admin.call('ACL', 'SETUSER', 'fleet', 'on', '>secret', '+@all', '-info', '~bull:tickhaul:*');
    await close();
    for (const user of [':secret@', 'fleet:secret@']) {
      const url = redis.url.replace('//', `//${user}`);
      const worker = await tickhaul(['worker', '--once'], { env: { ...env, TICKHAUL_QUEUE_URL: url } });
      assert.deepEqual(worker, { exitCode: 0, stdout: '', stderr: '0 slices done, 0 B\n' });
    }
  },
);
