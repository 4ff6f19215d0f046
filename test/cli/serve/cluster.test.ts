import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { cleanUp, killAndWait } from '../../helpers/clean-up.js';
import { envOf, type Started, start } from '../../helpers/cli.js';
import { isAlive } from '../../helpers/is-alive.js';
import { BUSY, sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { until } from '../../helpers/until.js';
import { createMarketSender, loopbackExchange, type Peer } from '../../live/exchange.js';
import { ask, busySandbox, withOptions } from '../../server/serving.js';
import { type Connected, connectTo, hear } from '../../server/socket/connecting.js';
import { portsOf } from './ports.js';

interface Cluster {
  readonly run: Started;
  readonly http: number;
  readonly wsPort: number;
  /** Process ids of the initial workers. */
  readonly pids: readonly number[];
}

/** The built command in cluster mode. */
async function startCluster(
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  stdin = '',
): Promise<Cluster> {
  const run = start(['serve', '--cluster-mode', '--port', '0', '--debug', ...args], { env, stdin });
  // Its workers end with it.
  cleanUp(t, () => killAndWait(run.child));
  let text = '';
  run.child.stdout?.on('data', (chunk: string) => {
    text += chunk;
  });
  const { http, ws } = await portsOf(run);
  await run.printed(/workers .*\n/);
  const [, pids = ''] = /^HTTP port: \d+\nWS port: \d+\nworkers (.*)\n/.exec(text) ?? [];
  return { run, http, wsPort: ws, pids: pids.split(', ').map(Number) };
}

async function counts(http: number): Promise<Readonly<Record<string, number>>> {
  const { text } = await ask(http, '/metrics');
  return Object.fromEntries(
    [...text.matchAll(/^tickhaul_(\w+) (.+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
  );
}

const OPTIONS = { exchange: 'bitmex', from: '2024-03-05', to: '2024-03-05T00:05' };
const REPLAY = withOptions('/replay', OPTIONS);

/** Minutes of the day that were requested, without duplicates. */
function minutesAsked({ requests }: Sandbox): readonly number[] {
  return requests
    .filter(({ url }) => url.startsWith('/v1/data-feeds/'))
    .flatMap(({ url }) => {
      const query = new URL(url, 'http://service').searchParams;
      const start = (Date.parse(query.get('from') ?? '') / 60_000 + Number(query.get('offset'))) % 1440;
      return Array.from({ length: Number(query.get('sliceSize') ?? 1) }, (_, at) => start + at);
    })
    .sort((one, other) => one - other);
}

test('workers share one cache, which is cleared once, and one set of metrics', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, BUSY);
  const feeds = join(dir, 'slices', 'feeds');
  mkdirSync(feeds, { recursive: true });
  writeFileSync(join(feeds, 'old'), '');
  const env = { ...envOf(service, dir, ''), TM_CLEAR_CACHE: 'true', TM_CACHE_DIR: join(dir, 'slices') };
  const key = service.apiKey;
  const { run, http, wsPort, pids } = await startCluster(t, ['--api-key-file', '-'], env, `${key}\n`);
  assert.ok(pids.length > 1 && new Set(pids).size === pids.length);
  assert.deepEqual(readdirSync(join(dir, 'slices')), []);

  // Connections are distributed round robin.
  const answers = (await Promise.all(pids.map(() => ask(http, REPLAY)))).map(({ text }) => text);
  assert.equal(new Set(answers).size, 1);
  assert.deepEqual(minutesAsked(service), [0, 1, 2, 3, 4], 'none twice');
  const lines = (answers[0] ?? '').split('\n').length - 1;
  assert.ok(lines > 10);
  const reported = await counts(http);
  assert.equal(reported['messages_total'], lines * pids.length);
  assert.equal(reported['bytes_total'], Buffer.byteLength(answers.join('')));
  const { text: health } = await ask(http, '/health-check');
  assert.equal(JSON.parse(health).status, 'Healthy');
  if (networkInterfaces()['lo']?.some(({ address }) => address === '::1')) {
    assert.equal((await ask(http, '/health-check', { host: '::1', method: 'HEAD' })).status, 200);
    const socket = new WebSocket(`ws://[::1]:${wsPort}/nothing`);
    assert.equal((await once(socket, 'close'))[0], 1008);
  }

  if (process.platform === 'linux') {
    for (const pid of pids) {
      for (const file of ['cmdline', 'environ']) {
        assert.ok(!readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(key), `the key is in ${file}`);
      }
    }
  }
  const foreign = await ask(wsPort, '/ws-replay', {
    headers: {
      origin: 'http://elsewhere.example',
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    },
  });
  assert.equal(foreign.status, 403);

  const [first = 0] = pids;
  process.kill(first, 'SIGKILL');
  await run.printed(/worker \d+ starts/);
  assert.equal((await ask(http, REPLAY)).text, answers[0]);
  const after = await counts(http);
  assert.equal(after['messages_total'], lines * (pids.length + 1), 'what a worker counted outlives it');
  assert.equal(
    after['upstream_requests_total'],
    reported['upstream_requests_total'],
    'the cache is still there',
  );
  assert.ok((after['uptime_seconds'] ?? 0) > (reported['uptime_seconds'] ?? 0));

  run.child.kill('SIGINT');
  const { exitCode, stderr } = await run.finished;
  assert.equal(exitCode, 0, stderr);
  const warnings = stderr.split('\n').filter((line) => line !== '');
  assert.equal(warnings.length, 1, stderr);
  assert.match(
    warnings[0] ?? '',
    new RegExp(`^warning worker ${first} ended \\(SIGKILL\\): .*a new worker starts now$`),
  );
});

const STREAM = withOptions('/ws-stream-normalized', {
  exchange: 'bitmex',
  symbols: ['XBTUSD'],
  dataTypes: ['trade'],
  timeoutIntervalMS: 0,
});

/** The next message of a connection; undefined at its end. */
const spoken = ({ socket, heard }: Connected): Promise<unknown> =>
  Promise.race([
    once(socket, 'message'),
    heard.then(({ code, reason }) => assert.fail(`closed with ${code} ${reason}`)),
  ]);

test('a killed worker ends only its own connections', async (t) => {
  const playing: Peer[] = [];
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      playing.push(peer);
      createMarketSender('bitmex', 'XBTUSD', peer).trade(1);
    },
  });
  const dir = await tempDir(t);
  const env = { ...envOf(await sandbox(t), dir), WSS_URL_BITMEX: url };
  const { http, wsPort, pids } = await startCluster(t, [], env);
  const closed: Connected[] = [];
  const clients: Connected[] = [];
  for (const _ of pids) {
    const client = connectTo({ wsPort }, STREAM);
    await spoken(client);
    client.socket.once('close', () => closed.push(client));
    clients.push(client);
  }
  const [first = 0] = pids;
  const someGone = Promise.race(clients.map(({ socket }) => once(socket, 'close')));
  process.kill(first, 'SIGKILL');
  // What the killed worker was given and has not accepted goes to another one.
  await Promise.all(pids.map(() => counts(http)));
  await someGone;
  const others = clients.filter((client) => !closed.includes(client));
  assert.equal(others.length, clients.length - 1);
  const heard = Promise.all(others.map(spoken));
  for (const peer of playing) {
    if (peer.socket.readyState === peer.socket.OPEN) createMarketSender('bitmex', 'XBTUSD', peer).trade(2);
  }
  await heard;
  assert.equal((await closed[0]?.heard)?.code, 1006);
  for (const { socket } of clients) socket.terminate();
});

const PERIOD = 'from=2024-03-01&to=2024-03-01T00:10:00.000Z';
const subscribe = (...args: readonly string[]): string => JSON.stringify({ op: 'subscribe', args });
const pathOf = (session: string): string => `/ws-replay?exchange=bitmex&${PERIOD}&session=${session}`;

test('connections of a session meet in one worker; a response is finished after SIGTERM', async (t) => {
  const service = await busySandbox(t, { latencyMs: 100, feeds: { suggestedMinutes: 1 } });
  const { run, http, wsPort } = await startCluster(t, ['-j', '2'], envOf(service, await tempDir(t)));
  const server = { wsPort };
  const sessions = ['a', 'b', 'c', 'd'].map((session) =>
    Promise.all([
      hear(server, pathOf(session), [subscribe('trade:XBTUSD')]),
      // A connection without a subscription ends the session of both.
      hear(server, pathOf(session)),
    ]),
  );
  const whole = Promise.all([
    hear(server, pathOf('whole'), [subscribe('trade:XBTUSD')]),
    hear(server, pathOf('whole'), [subscribe('trade:ETHUSD')]),
  ]);
  for (const both of await Promise.all(sessions)) {
    for (const { code, reason } of both) {
      assert.equal(code, 1011);
      assert.match(reason, /^No subscriptions received/);
    }
  }
  for (const { code, messages } of await whole) {
    assert.equal(code, 1000);
    assert.ok(messages.length > 0);
  }

  const answer = new Promise<boolean>((resolve, reject) => {
    const sent = request({ port: http, host: '127.0.0.1', path: REPLAY, agent: false }, (response) => {
      run.child.kill('SIGTERM');
      response.resume().on('close', () => resolve(response.complete));
    });
    sent.on('error', reject).end();
  });
  assert.ok(await answer, 'it came to its end');
  const { exitCode, stderr } = await run.finished;
  assert.deepEqual([exitCode, stderr], [0, '']);
});

test('days that several workers need are downloaded once', async (t) => {
  const service = await busySandbox(t, { latencyMs: 100 });
  const env = envOf(service, await tempDir(t));
  const { http, pids } = await startCluster(t, ['--source', 'datasets'], env);
  const path = withOptions('/replay-normalized', { ...OPTIONS, symbols: ['XBTUSD'], dataTypes: ['trade'] });
  const answers = await Promise.all(pids.map(() => ask(http, path)));
  for (const { status, text } of answers) assert.deepEqual([status, text], [200, answers[0]?.text]);
  assert.equal(service.requests.filter(({ url }) => url.endsWith('XBTUSD.csv.gz')).length, 1);
});

test('clients of all workers count together for the limit', async (t) => {
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      createMarketSender('bitmex', 'XBTUSD', peer).trade(1);
    },
  });
  const env = { ...envOf(await sandbox(t), await tempDir(t)), WSS_URL_BITMEX: url };
  const { http, wsPort, pids } = await startCluster(t, ['--max-clients', '2'], env);
  assert.ok(pids.length > 1);
  // Each connection goes to the next worker.
  const clients = [connectTo({ wsPort }, STREAM), connectTo({ wsPort }, STREAM)];
  await Promise.all(clients.map(spoken));
  for (const _ of pids) {
    assert.equal((await hear({ wsPort }, STREAM)).code, 1013);
    assert.equal((await ask(http, REPLAY)).status, 503);
  }
  assert.equal((await ask(http, '/health-check')).status, 200);
  const [first = 0] = pids;
  process.kill(first, 'SIGKILL');
  // Clients of a killed worker do not count.
  await until('room', async () => (await ask(http, REPLAY)).status === 200);
  for (const { socket } of clients) socket.terminate();
});

/** Resolves when all but some have resolved. */
function allBut(count: number, awaited: readonly Promise<unknown>[]): Promise<void> {
  let left = awaited.length - count;
  return new Promise((resolve, reject) => {
    for (const each of awaited) each.then(() => --left === 0 && resolve(), reject);
  });
}

test('a stopped worker holds one connection; the others go to other workers', async (t) => {
  const env = envOf(await busySandbox(t), await tempDir(t));
  const { run, http, wsPort, pids } = await startCluster(t, [], env);
  const [right = ''] = (await Promise.all(pids.map(() => ask(http, REPLAY)))).map(({ text }) => text);
  const [first = 0, ...others] = pids;
  // Stopped processes outlive the process that started them.
  cleanUp(t, () => {
    for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
  });
  const askOne = async (): Promise<void> => {
    const { status, text } = await ask(http, REPLAY);
    assert.deepEqual([status, text], [200, right]);
  };
  const hearOne = async (): Promise<void> => assert.equal((await hear({ wsPort }, '/nothing')).code, 1008);
  const stop = async (stopped: readonly number[]): Promise<readonly Promise<void>[]> => {
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    const twice = [...pids, ...pids];
    const connections = [...twice.map(askOne), ...twice.map(hearOne)];
    await allBut(stopped.length, connections);
    await Promise.all(pids.map(askOne));
    const session = pids.map(() => hear({ wsPort }, pathOf('stopped'), [subscribe('trade:XBTUSD')]));
    for (const { code } of await Promise.all(session)) assert.equal(code, 1000);
    return connections;
  };
  const held = await stop([first]);
  // The stopped worker is waited for once.
  for (const _ of pids) assert.equal((await ask(http, '/health-check')).status, 200);
  process.kill(first, 'SIGCONT');
  await Promise.all(held);
  const heldByOthers = Promise.allSettled(await stop(others));
  // Stopped workers are ended too.
  run.child.kill('SIGTERM');
  assert.equal((await run.finished).exitCode, 0);
  assert.equal((await heldByOthers).filter(({ status }) => status === 'rejected').length, others.length);
});
