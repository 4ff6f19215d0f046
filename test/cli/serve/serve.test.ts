import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockPath } from '../../../src/store/lock/run-lock.js';
import { cleanUp, killAndWait } from '../../helpers/clean-up.js';
import { envOf, start, tickhaul } from '../../helpers/cli.js';
import { gated, opening } from '../../helpers/gate.js';
import { runHere } from '../../helpers/in-process.js';
import { bucketFor } from '../../helpers/s3/bucket.js';
import { BUSY, sandboxAndFolder } from '../../helpers/sandbox.js';
import { storeTest } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import { inTerminal, NO_TERMINAL } from '../../helpers/terminal.js';
import { until } from '../../helpers/until.js';
import { ask, busySandbox, withOptions } from '../../server/serving.js';
import { portsOf } from './ports.js';

const OPTIONS = { exchange: 'bitmex', from: '2024-03-01', to: '2024-03-01T00:10' };

test('prints two lines when it listens, serves requests, and a signal is its normal end', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, BUSY);
  const feeds = join(dir, 'slices', 'feeds');
  mkdirSync(feeds, { recursive: true });
  writeFileSync(join(feeds, 'old'), '');
  writeFileSync(join(dir, 'slices', 'mine'), '');
  const env = {
    ...envOf(service, dir),
    TM_CACHE_DIR: join(dir, 'slices'),
    TM_PORT: '0',
    TM_CLEAR_CACHE: 'true',
    TM_DEBUG: 'True',
  };
  const server = start(['serve', '--verbose'], { env });
  cleanUp(t, () => killAndWait(server.child));
  const { http, ws } = await portsOf(server);
  assert.equal(ws, http + 1);
  assert.deepEqual(readdirSync(join(dir, 'slices')), ['mine']);
  const { status, text } = await ask(http, withOptions('/replay', OPTIONS));
  assert.deepEqual([status, text.split('\n').length > 10], [200, true]);
  assert.match((await ask(http, '/metrics')).text, /^tickhaul_upstream_requests_total [1-9]/m);
  assert.deepEqual(readdirSync(join(dir, 'slices')).sort(), ['feeds', 'mine']);
  server.child.kill('SIGTERM');
  const { exitCode, stdout, stderr } = await server.finished;
  assert.equal(exitCode, 0, stderr);
  assert.equal(stdout, `HTTP port: ${http}\nWS port: ${ws}\n`);
  assert.match(stderr, /^GET \/replay\?options=\S+ 200 \d+ms$/m);
  assert.ok(!stderr.includes(service.apiKey));
});

test('warns of a key as an argument and of a public address; debug lines are printed to stdout', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, BUSY);
  const args = [
    'serve',
    '--port',
    '0',
    '--host',
    '0.0.0.0',
    '--api-key',
    service.apiKey,
    '--debug',
    '--compress',
  ];
  const server = start(args, { env: envOf(service, dir, '') });
  cleanUp(t, () => killAndWait(server.child));
  const { http } = await portsOf(server);
  const headers = { 'accept-encoding': 'deflate, gzip;q=0.8' };
  const options = { ...OPTIONS, from: '2024-03-05', to: '2024-03-05T00:03' };
  const answer = await ask(http, withOptions('/replay', options), { headers });
  assert.deepEqual([answer.status, answer.headers['content-encoding']], [200, 'gzip']);
  server.child.kill('SIGINT');
  const { exitCode, stdout, stderr } = await server.finished;
  assert.equal(exitCode, 0, stderr);
  assert.match(stderr, /warning --api-key: other users/);
  assert.match(stderr, /warning --host 0\.0\.0\.0: every client that can reach it/);
  assert.match(stdout, /data-feeds\/bitmex/);
  assert.ok(!(stdout + stderr).includes(service.apiKey));
});

storeTest('--debug prints requests to the object store of the day files', async (t) => {
  const [service, bucket] = [await busySandbox(t), await bucketFor(t)];
  const env = {
    ...envOf(service, `s3://${bucket.name}/raw`),
    XDG_CACHE_HOME: await tempDir(t),
    ...bucket.env(),
  };
  const server = start(['serve', '--port', '0', '--source', 'datasets', '--debug'], { env });
  cleanUp(t, () => killAndWait(server.child));
  const { http } = await portsOf(server);
  const options = { ...OPTIONS, exchange: 'binance-futures', from: '2024-03-01', to: '2024-03-01T00:01' };
  const normalized = { ...options, symbols: ['BTCUSDT'], dataTypes: ['trade'] };
  await ask(http, withOptions('/replay-normalized', normalized));
  server.child.kill('SIGINT');
  const { stdout } = await server.finished;
  assert.match(stdout, new RegExp(`(GET|HEAD|PUT) .*${bucket.name}.* \\d{3}`));
});

test('the lock of the folder does not contain a key from the arguments', async (t) => {
  const read = opening();
  // Day files have no response before the lock is read.
  const service = await gated(t, await busySandbox(t), () => read.opened);
  const dir = await tempDir(t);
  const args = ['serve', '--port', '0', '--source', 'datasets', '--api-key', service.apiKey];
  const server = start(args, { env: envOf(service, dir, '') });
  cleanUp(t, () => killAndWait(server.child));
  const { http } = await portsOf(server);
  const options = { ...OPTIONS, symbols: ['XBTUSD'], dataTypes: ['trade'] };
  const asking = ask(http, withOptions('/replay-normalized', options));
  // The lock exists while day files are downloaded.
  const holder = await until('the lock', () => readFile(lockPath(dir), 'utf8').catch(() => ''), asking);
  read.open();
  assert.equal(JSON.parse(holder).command, 'tickhaul serve');
  assert.equal((await asking).status, 200);
});

test('errors at the start are code 2', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, BUSY);
  const taken = createServer().listen(0, '127.0.0.1');
  cleanUp(t, () => taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const cases: readonly (readonly [RegExp, readonly string[], Record<string, string>])[] = [
    [new RegExp(`port ${port} of 127\\.0\\.0\\.1 is in use`), ['--port', String(port)], {}],
    [/port \d+ of 127\.0\.0\.1 is in use/, ['--cluster-mode', '--port', String(port)], {}],
    [/--port: "65535" is not a whole number/, ['--port', '65535'], {}],
    [/TM_PORT: "http" is not a port/, [], { TM_PORT: 'http' }],
    [/--allow-origin: "desk" is not an origin/, ['--port', '0', '--allow-origin', 'desk'], {}],
    [/--max-clients: "0" is not a whole number/, ['--port', '0', '--max-clients', '0'], {}],
    [/--cache-dir: s3:/, ['--port', '0', '--cache-dir', 's3://bucket'], {}],
    [
      /--dir is for day files, and these messages come from slices of raw data; omit it, or use/,
      ['--dir', dir],
      {},
    ],
    [/--cache-limit is for slices of raw data/, ['--source', 'datasets', '--cache-limit', '1GB'], {}],
  ];
  for (const [message, args, env] of cases) {
    const run = args.includes('--cluster-mode') ? tickhaul : runHere;
    const { exitCode, stdout, stderr } = await run(['serve', ...args], {
      env: { ...envOf(service, dir), ...env },
    });
    assert.deepEqual([exitCode, stdout], [2, ''], stderr);
    assert.match(stderr, message);
  }
});

test('on a terminal the page’s address follows the two port lines', { skip: NO_TERMINAL }, async (t) => {
  const dir = await tempDir(t);
  const env = envOf(await busySandbox(t), dir);
  const server = inTerminal('tickhaul serve --port 0', dir, { PATH: process.env['PATH'] ?? '', ...env });
  cleanUp(t, () => killAndWait(server.child));
  await server.printed(/^HTTP port: (\d+)\r\nWS port: \d+\r\nhttp:\/\/127\.0\.0\.1:\1\/\r\n$/);
});

test('a response that does not end in time is cut off, and a signal still ends with 0', async (t) => {
  const requested = opening();
  const never = new Promise<undefined>(() => {});
  const service = await gated(t, await busySandbox(t), () => {
    requested.open();
    return never;
  });
  const args = ['serve', '--port', '0', '--source', 'datasets'];
  const server = start(args, { env: envOf(service, await tempDir(t)) });
  cleanUp(t, () => killAndWait(server.child));
  const { http } = await portsOf(server);
  const options = { ...OPTIONS, symbols: ['XBTUSD'], dataTypes: ['trade'] };
  const asking = ask(http, withOptions('/replay-normalized', options));
  await requested.opened;
  server.child.kill('SIGTERM');
  assert.notEqual((await asking.catch(() => ({ status: 0 }))).status, 200);
  const { exitCode, stderr } = await server.finished;
  assert.deepEqual([exitCode, stderr.includes('without cleanup')], [0, false]);
});
