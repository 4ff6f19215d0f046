import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { TestContext } from 'node:test';
import type { OpenQueue } from '../../src/fleet/open-queue.js';
import { cleanUp, killAndWait } from '../helpers/clean-up.js';
import { envOf, type Started, start } from '../helpers/cli.js';
import { gated, opening } from '../helpers/gate.js';
import { runHere } from '../helpers/in-process.js';
import { queueOf } from '../helpers/redis.js';
import { type ContextWith, redisTest } from '../helpers/services.js';
import { createWork, FILES, requestedDayFiles } from './helpers.js';

const ENQUEUE = ['enqueue', 'binance-futures', '-t', 'trades', '-s', 'BTCUSDT', '--date', '2024-03-06'];

/** Failed requests of all connections. */
async function failedRequests({ redis }: OpenQueue): Promise<number> {
  const stats = await redis.info('commandstats');
  const counts = [...stats.matchAll(/rejected_calls=(\d+),failed_calls=(\d+)/g)];
  return counts.reduce((sum, [, rejected, failed]) => sum + Number(rejected) + Number(failed), 0);
}

const setUser = (open: OpenQueue, ...rules: readonly string[]): Promise<unknown> =>
  open.redis.call('ACL', 'SETUSER', 'fleet', 'on', '>secret', '+@all', '&*', ...rules);

/** Work whose day files have no response before `respond` is called; `asked` resolves at the first request for one. */
async function createHeldWork(t: ContextWith<'redis'>) {
  const work = await createWork(t);
  const [asked, held] = [opening(), opening()];
  const gate = await gated(t, work.service, () => {
    asked.open();
    return held.opened;
  });
  return {
    ...work,
    env: { ...work.env, ...envOf(gate, work.dir) },
    asked: asked.opened,
    respond: held.open,
  };
}

/** The same with a queue that the user `fleet` may use. */
async function createUserWork(t: ContextWith<'redis'>) {
  const { redis, env, asked, respond } = await createHeldWork(t);
  const admin = await queueOf(redis);
  await setUser(admin, '~*');
  const startWorker = (port: number | string, ...flags: readonly string[]): Started => {
    const url = `redis://fleet:secret@127.0.0.1:${port}`;
    const worker = start(['worker', '-j', '2', ...flags], { env: { ...env, TICKHAUL_QUEUE_URL: url } });
    cleanUp(t, () => killAndWait(worker.child));
    return worker;
  };
  return { admin, port: new URL(redis.url).port, asked, respond, startWorker };
}

/** Refuses further sign-ins of the user, and ends its connections. */
async function refuseSignIn(admin: OpenQueue): Promise<void> {
  await setUser(admin, 'off');
  await admin.redis.call('CLIENT', 'KILL', 'USER', 'fleet');
}

redisTest(
  'a user without permission for the keys of the queue ends each command with code 4 and one line',
  async (t) => {
    const { redis, env } = await createWork(t);
    const admin = await queueOf(redis);
    await setUser(admin, '~other:*');
    const stranger = { ...env, TICKHAUL_QUEUE_URL: redis.url.replace('//', '//fleet:secret@') };
    const commands = [ENQUEUE, ['queue', 'status'], ['queue', 'drain'], ['worker'], ['worker', '--once']];
    for (const words of commands) {
      const { exitCode, stdout, stderr } = await runHere([...words, '-q'], { env: stranger });
      assert.deepEqual([exitCode, stdout], [4, ''], words.join(' '));
      assert.match(
        stderr,
        /^\S+ +Redis at \S+: the user of TICKHAUL_QUEUE_URL has no permission \(NOPERM .*\n$/,
      );
      assert.ok(!stderr.includes('secret'));
    }
    assert.ok((await failedRequests(admin)) < 200);
    await admin.close();
  },
);

for (const [what, refuse, said] of [
  [
    'keys',
    (admin: OpenQueue) => setUser(admin, 'resetkeys'),
    /^error +Redis at .* has no permission \(NOPERM .*$/m,
  ],
  [
    'commands of scripts',
    (admin: OpenQueue) => setUser(admin, '-hset', '-hmset', '-lpush'),
    /^error +Redis at .* has no permission \(.*$/m,
  ],
  ['sign-in', refuseSignIn, /^error +Redis at .* refused the sign-in \(WRONGPASS .*$/m],
] as const) {
  redisTest(`a worker that loses its permission (${what}) during the run ends with code 4`, async (t) => {
    const { admin, port, asked, respond, startWorker } = await createUserWork(t);
    const worker = startWorker(port);
    await Promise.race([asked, worker.finished]);
    await refuse(admin);
    respond();
    const { exitCode, stderr } = await worker.finished;
    assert.equal(exitCode, 4, stderr);
    assert.match(stderr, said);
    assert.ok((await failedRequests(admin)) < 200);
    await admin.close();
  });
}

redisTest('a worker that lost replies of Redis, and then its sign-in, ends with code 4', async (t) => {
  const { admin, port, asked, respond, startWorker } = await createUserWork(t);
  const link = await startLink(t, Number(port));
  // Renewals of locks, which would fail, are far away.
  const worker = startWorker(link.port, '--lock-duration', '1h');
  await Promise.race([asked, worker.finished]);
  const lost = link.loseReplies();
  respond();
  await lost;
  await refuseSignIn(admin);
  await admin.close();
  link.passReplies();
  const { exitCode, stderr } = await worker.finished;
  assert.equal(exitCode, 4, stderr);
  assert.match(stderr, /^error +Redis at .* refused the sign-in/m);
});

interface Link {
  readonly port: number;
  /** Drops replies from now on. Resolves when there was a request whose reply is lost. */
  loseReplies(): Promise<void>;
  passReplies(): void;
}

/** Connects to Redis through another port. */
async function startLink(t: TestContext, redisPort: number): Promise<Link> {
  let isLosing = false;
  let onRequest = (): void => {};
  const server = createServer((client) => {
    const upstream = connect(redisPort, '127.0.0.1');
    client.on('data', (bytes) => {
      upstream.write(bytes);
      if (isLosing) onRequest();
    });
    upstream.on('data', (bytes) => {
      if (!isLosing) client.write(bytes);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => server.close());
  return {
    port: (server.address() as AddressInfo).port,
    loseReplies: () =>
      new Promise((resolve) => {
        onRequest = resolve;
        isLosing = true;
      }),
    passReplies: () => {
      isLosing = false;
    },
  };
}

redisTest('a queue that Redis lost ends its workers with code 5', async (t) => {
  for (const once of [['--once'], []]) {
    const work = await createHeldWork(t);
    const worker = start(['worker', '-j', '1', ...once], work);
    cleanUp(t, () => killAndWait(worker.child));
    await Promise.race([work.asked, worker.finished]);
    const admin = await queueOf(work.redis);
    await admin.redis.flushall();
    await admin.close();
    work.respond();
    const { exitCode, stderr } = await worker.finished;
    assert.equal(exitCode, 5, stderr);
    assert.match(stderr, /queue "tickhaul": its data in Redis at \S+ was lost during the run; refill it/);
    assert.ok(requestedDayFiles(work).length < FILES);
  }
});

redisTest('after an error reply of Redis, a worker warns, waits and tries again', async (t) => {
  const { redis, env } = await createWork(t);
  const admin = await queueOf(redis);
  await admin.redis.config('SET', 'maxmemory', '1');
  const worker = start(['worker', '--once', '-q'], { env });
  cleanUp(t, () => killAndWait(worker.child));
  await worker.printed(/warning .*OOM.*; trying again/);
  assert.ok((await failedRequests(admin)) < 20);
  await admin.redis.config('SET', 'maxmemory', '0');
  await admin.close();
  assert.equal((await worker.finished).exitCode, 0);
});
