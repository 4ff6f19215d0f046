import assert from 'node:assert/strict';
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '../../helpers/clean-up.js';
import { envOf, type Finished, start, succeeded } from '../../helpers/cli.js';
import { freePort } from '../../helpers/free-port.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { ask, withOptions } from '../../server/serving.js';
import { hear } from '../../server/socket/connecting.js';
import { portsOf } from '../serve/ports.js';

const PERIOD = ['--from', '2024-03-01', '--to', '2024-03-03'];
const TYPES = 'trade,book_change';
const BOTH = 'deribit:BTC-PERPETUAL,ETH-PERPETUAL';

interface Copy {
  readonly dir: string;
  /** An environment without network and stored records. */
  readonly env: Record<string, string>;
  /** The environment with the network. */
  online(...args: readonly string[]): Promise<Finished>;
  offline(...args: readonly string[]): Promise<Finished>;
}

/** A folder filled by a replay, and a copy of it as on another machine. */
async function copied(t: TestContext, layout: readonly string[] = []): Promise<Copy> {
  const service = await sandbox(t);
  const [from, to] = [await tempDir(t), await tempDir(t)];
  const online = (...args: readonly string[]): Promise<Finished> =>
    runHere(['replay', ...args, ...layout], { env: envOf(service, join(from, 'data')) });
  await succeeded(online(BOTH, '-t', TYPES, ...PERIOD));
  const dir = join(to, 'data');
  cpSync(join(from, 'data'), dir, { recursive: true, filter: (path) => !path.endsWith('.cache') });
  const closed = `http://127.0.0.1:${await freePort()}`;
  const env = {
    TICKHAUL_API_URL: closed,
    TICKHAUL_DATASETS_URL: closed,
    TICKHAUL_DIR: dir,
    XDG_CACHE_HOME: join(to, 'cache'),
  };
  const offline = (...args: readonly string[]): Promise<Finished> =>
    runHere(['replay', ...args, ...layout, '--offline'], { env });
  return { dir, env, online, offline };
}

const linesOf = ({ stdout }: Pick<Finished, 'stdout'>): readonly string[] =>
  stdout.trimEnd().split('\n').sort();

test('replays a copied folder without a network, by its manifest or its file names', async (t) => {
  const { dir, online, offline } = await copied(t);
  const named = [BOTH, '-t', TYPES, ...PERIOD];
  const all = ['deribit', '-t', `${TYPES},quote_1s`, ...PERIOD];
  const right = await online(...named);
  for (const manifest of ['there', 'lost']) {
    if (manifest === 'lost') rmSync(join(dir, '.tickhaul'), { recursive: true });
    const copy = await offline(...named);
    assert.deepEqual([copy.exitCode, copy.stdout === right.stdout], [0, true], copy.stderr);
    assert.match(right.stdout, /ETH-PERPETUAL.*\n/);
    // Without symbols in the request, all of the folder, sorted by name.
    const every = await succeeded(offline(...all));
    assert.equal(every.stdout, (await offline(BOTH, ...all.slice(1))).stdout);
  }
  const part = ['--from', '2024-03-01T06:00', '--to', '2024-03-01T18:00'];
  const ofOne = ['deribit:ETH-PERPETUAL', '-t', 'trade,trade_bar_1m', ...part];
  assert.equal((await offline(...ofOne)).stdout, (await online(...ofOne)).stdout);
});

test('the manifest locates files of another layout', async (t) => {
  const { online, offline } = await copied(t, ['--layout', '{exchange}/{type}/{symbol}/{date}']);
  const named = [BOTH, '-t', TYPES, ...PERIOD];
  const copy = await succeeded(offline(...named));
  assert.equal(copy.stdout, (await online(...named)).stdout);
});

test('missing data ends the run before the first line', async (t) => {
  const { dir, offline } = await copied(t);
  const trades = ['-t', 'trade'];
  const cases: readonly (readonly [number, RegExp, readonly string[]])[] = [
    [
      7,
      /no file of .* 2024-03-03 in .*; run without --offline/,
      [BOTH, ...trades, '--from', '2024-03-01', '--to', '2024-03-04'],
    ],
    [7, /no file of .* 2024-02-29 in /, ['deribit', ...trades, '--from', '2024-02-29', '--to', '2024-03-02']],
    [7, /bitmex: neither a day file in .* nor a stored exchange record/, ['bitmex', ...trades, ...PERIOD]],
    [
      7,
      /no file of deribit trades ETH-PERP in .*; did you mean ETH-PERPETUAL/,
      ['deribit:ETH-PERP', ...trades, ...PERIOD],
    ],
    [7, /no file of deribit liquidations in /, ['deribit', '-t', 'liquidation', ...PERIOD]],
  ];
  for (const [code, message, args] of cases) {
    const { exitCode, stdout, stderr } = await offline(...args);
    assert.deepEqual([exitCode, stdout], [code, ''], stderr);
    assert.match(stderr, message);
  }
  // Days before a symbol's first file count as empty if another symbol has them; requested days must exist.
  rmSync(join(dir, '.tickhaul'), { recursive: true });
  for (const dataType of ['trades', 'incremental_book_L2']) {
    rmSync(join(dir, `deribit_${dataType}_2024-03-01_ETH-PERPETUAL.csv.gz`));
  }
  const all = await succeeded(offline('deribit', ...trades, ...PERIOD));
  assert.match(all.stdout, /ETH-PERPETUAL/);
  const { exitCode, stderr } = await offline(BOTH, ...trades, ...PERIOD);
  assert.equal(exitCode, 7, stderr);
  assert.match(stderr, /no file of deribit trades ETH-PERPETUAL 2024-03-01 in /);
});

test('the server reads a copied folder, over HTTP and WebSocket', async (t) => {
  const { dir, env, online } = await copied(t);
  const right = await online(BOTH, '-t', TYPES, ...PERIOD);
  const server = start(['serve', '--source', 'datasets', '--offline', '--port', '0'], { env });
  cleanUp(t, async () => {
    server.child.kill('SIGTERM');
    await server.finished;
  });
  const { http, ws } = await portsOf(server);
  const options = { exchange: 'deribit', dataTypes: TYPES.split(','), from: '2024-03-01', to: '2024-03-03' };
  const answer = await ask(http, withOptions('/replay-normalized', options));
  assert.deepEqual([answer.status, answer.isWhole], [200, true]);
  assert.deepEqual(linesOf({ stdout: answer.text }), linesOf(right));
  const { messages, code } = await hear({ wsPort: ws }, withOptions('/ws-replay-normalized', options));
  assert.equal(code, 1000);
  assert.deepEqual([...messages].sort(), linesOf(right));
  const missing = await ask(http, withOptions('/replay-normalized', { ...options, to: '2024-03-05' }));
  assert.equal(missing.status, 503, missing.text);
  renameSync(dir, `${dir}.gone`);
  mkdirSync(dir);
  assert.equal((await ask(http, withOptions('/replay-normalized', options))).status, 503);
});
