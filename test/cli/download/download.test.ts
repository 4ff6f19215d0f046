import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { chmod, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { proveFile } from '../../../src/integrity/proof.js';
import type { SandboxOptions } from '../../../src/sandbox/options.js';
import { envOf, type Finished, jsonLines, start, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tradesOf } from '../../helpers/selection.js';
import { smallDisk } from '../../helpers/small-disk.js';
import { namesIn, tempDir } from '../../helpers/temp.js';

/** More files than are in flight at once: 14. */
const DAYS = ['download', 'binance-futures', '-t', 'trades', '-s', 'BTCUSDT', '--from', '2024-02-25'];
const FIRST = ['download', ...tradesOf('2024-03-01')];
const SLOW: SandboxOptions = { redirect: true, rows: 20_000, rate: 300_000 };

/** Waits for a part with bytes in it: on a busy machine a file may be done before any other has some. */
async function partAppears(dir: string): Promise<void> {
  for (;;) {
    const parts = (await namesIn(dir)).filter((name) => name.endsWith('.part'));
    const sizes = parts.map((name) => statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0);
    if (sizes.some((size) => size > 0)) return;
    await nextTurn();
  }
}

const lastLine = (finished: Finished): unknown => jsonLines(finished).at(-1);

/** Each exit code of the contract that a download can end with, and how to bring it about. */
const CODES: readonly (readonly [
  number,
  string,
  SandboxOptions,
  readonly string[],
  Record<string, string>,
])[] = [
  [0, 'done', {}, DAYS, {}],
  [2, 'usage', {}, [...FIRST, '-s', 'NOSUCH'], {}],
  [3, 'several reasons', { faults: { '500': 0.5, empty: 0.5 } }, [...DAYS, '--retries', '0'], {}],
  [4, 'a wrong key', {}, DAYS, { TICKHAUL_API_KEY: 'wrong' }],
  [4, 'no key', {}, DAYS, { TICKHAUL_API_KEY: '' }],
  [5, 'the service fails', { faults: { '503': 1 } }, [...FIRST, '--retries', '0'], {}],
  [5, 'the transfer limit', { faults: { 'transfer-limit': 1 } }, DAYS, {}],
  [5, 'nobody answers', {}, [...FIRST, '--retries', '1'], { TICKHAUL_DATASETS_URL: 'http://127.0.0.1:9' }],
  [6, 'corrupt data', { faults: { 'bit-flip': 1 } }, [...FIRST, '--retries', '1'], {}],
  [7, 'not exported yet', {}, [...DAYS, '--to', '2024-03-12', '--strict'], {}],
];

for (const [code, what, options, args, env] of CODES) {
  test(`exit code ${code}: ${what}; the summary says it, last of all`, async (t) => {
    const service = await sandbox(t, { retryAfterSeconds: 0, ...options });
    const dir = await tempDir(t);
    const finished = await tickhaul([...args, '--json'], {
      env: { ...envOf(service, dir), ...env },
    });
    assert.equal(finished.exitCode, code, finished.stderr);
    const summary = jsonLines(finished).at(-1);
    assert.deepEqual([summary?.event, summary?.['exitCode']], ['summary', code]);
    assert.doesNotMatch(finished.stdout + finished.stderr, /sandbox-key|Bearer/);
    assert.doesNotMatch(finished.stderr, /\n {4}at /, 'no stack trace');
    for (const name of await namesIn(dir)) if (name.endsWith('.csv.gz')) await proveFile(join(dir, name));
  });
}

test('a night without news is silent with --quiet', async (t) => {
  const service = await sandbox(t);
  const env = envOf(service, await tempDir(t));
  for (let night = 0; night < 2; night++) {
    const { exitCode, stdout, stderr } = await runHere([...DAYS, '--quiet'], { env });
    assert.deepEqual([exitCode, stdout, stderr], [0, '', '']);
  }
});

test('elsewhere than on a terminal there are plain lines, one a failed file, and what to do next', async (t) => {
  const service = await sandbox(t, { faults: { '500': 1 } });
  const env = envOf(service, await tempDir(t), '');
  const { stderr, stdout, exitCode } = await runHere([...DAYS, '--to', '2024-03-12', '--retries', '0'], {
    env,
  });
  assert.equal(exitCode, 3, 'a failed file, and files without a key');
  assert.equal(stdout, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the start of a terminal's control sequence
  assert.doesNotMatch(stderr, /\u001b/);
  assert.equal(stderr.match(/binance-futures_trades_2024-03-01_BTCUSDT\.csv\.gz/g)?.length, 1, stderr);
  assert.match(stderr, /TICKHAUL_API_KEY/);
  assert.match(stderr, /tickhaul status binance-futures --wait/);
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} breaks off with code ${code}, keeps the parts, tells a summary; the next run resumes`, async (t) => {
    const service = await sandbox(t, SLOW);
    const dir = await tempDir(t);
    const env = envOf(service, dir);
    const { child, printed, finished } = start([...DAYS, '--json', '--verbose'], { env });
    await printed('"event":"file"');
    await partAppears(dir);
    child.kill(signal);
    const first = await finished;
    assert.equal(first.exitCode, code, first.stderr);
    const summary = lastLine(first) as Record<string, unknown>;
    assert.deepEqual([summary['event'], summary['exitCode']], ['summary', code]);
    assert.ok(Number(summary['unfinished']) > 0);
    assert.ok((await namesIn(dir)).some((name) => name.endsWith('.part')));
    const second = await runHere([...DAYS, '--json'], { env });
    assert.equal(second.exitCode, 0, second.stderr);
    assert.ok(service.requests.some((request) => request.host === 'objects' && request.status === 206));
    assert.equal((await namesIn(dir)).filter((name) => name.endsWith('.part')).length, 0);
    for (const name of await namesIn(dir)) await proveFile(join(dir, name));
  });
}

test('a hangup does not end a run that has no terminal, as under nohup', async (t) => {
  const service = await sandbox(t, SLOW);
  const { child, printed, finished } = start([...DAYS, '--json'], { env: envOf(service, await tempDir(t)) });
  await printed('"event":"file"');
  child.kill('SIGHUP');
  const { exitCode, stderr } = await finished;
  assert.equal(exitCode, 0, stderr);
});

test('SIGKILL in the middle, then a run that completes and verifies, and fetches nothing twice', async (t) => {
  let onFile = (): void => {};
  const service = await sandbox(t, { rows: 5000, onRequest: ({ host }) => host === 'datasets' && onFile() });
  const dir = await tempDir(t);
  const env = envOf(service, dir);
  for (let kill = 0; kill < 3; kill++) {
    const { child, finished } = start([...DAYS, '--json', '-j', '2'], { env });
    let files = 0;
    // With two at once, the third shows that one is there; three kills leave something to the last run.
    onFile = () => ++files === 3 && child.kill('SIGKILL');
    await finished;
    assert.equal(child.signalCode, 'SIGKILL');
    for (const name of await namesIn(dir)) if (name.endsWith('.csv.gz')) await proveFile(join(dir, name));
  }
  const { exitCode, stderr } = await tickhaul([...DAYS, '--json'], { env });
  assert.equal(exitCode, 0, stderr);
  const files = await namesIn(dir);
  assert.equal(files.length, 14);
  for (const name of files) await proveFile(join(dir, name));
  const whole = service.requests.filter(
    ({ host, status, fault }) => host === 'datasets' && status === 200 && !fault,
  );
  assert.ok(whole.length <= 14 + 3 * 4, 'only what was in flight at a kill is asked for again');
});

test('two processes at once into one folder both end well', async (t) => {
  const service = await sandbox(t, { latencyMs: 10 });
  const dir = await tempDir(t);
  const env = envOf(service, dir);
  const both = await Promise.all([
    tickhaul([...DAYS, '--json'], { env }),
    tickhaul([...DAYS, '--json'], { env }),
  ]);
  for (const finished of both) assert.equal(finished.exitCode, 0, finished.stderr);
  const files = await namesIn(dir);
  assert.equal(files.length, 14);
  for (const name of files) await proveFile(join(dir, name));
  const again = await tickhaul([...DAYS, '--json'], { env });
  assert.equal((lastLine(again) as Record<string, unknown>)['skipped'], 14);
});

test('a file size limit ends the run at once with code 8', async (t) => {
  const service = await sandbox(t, { rows: 20_000 });
  const dir = await tempDir(t);
  const finished = await tickhaul([...DAYS, '--json'], {
    env: envOf(service, dir),
    // In blocks of 512 or 1024 bytes: less than one day file.
    command: ['sh', '-c', 'ulimit -f 100; exec "$0" "$@"', process.execPath],
  });
  assert.equal(finished.exitCode, 8, finished.stderr);
  assert.ok(jsonLines(finished).filter((line) => line['status'] === 'failed').length <= 8);
  assert.deepEqual(
    (await namesIn(dir)).filter((name) => name.endsWith('.csv.gz')),
    [],
  );
});

test('a full disk ends the run at once with code 8; with space again, all is fetched', async (t) => {
  const disk = await smallDisk(t, '400k');
  if (!disk) return;
  const { dir } = disk;
  const service = await sandbox(t, { rows: 8000 });
  const env = { ...envOf(service, dir), XDG_CACHE_HOME: await tempDir(t) };
  const finished = await tickhaul([...DAYS, '--json'], { env });
  assert.equal(finished.exitCode, 8, finished.stderr);
  assert.match(JSON.stringify(lastLine(finished)), /disk is full|free/);
  for (const name of await namesIn(dir)) if (name.endsWith('.csv.gz')) await proveFile(join(dir, name));
  disk.grow();
  assert.equal((await tickhaul([...DAYS, '--quiet'], { env })).exitCode, 0);
  assert.equal((await namesIn(dir)).length, 14);
});

test('a folder that must not be written ends with code 8 and its name', async (t) => {
  if (process.getuid?.() === 0) {
    t.skip('root may write everywhere');
    return;
  }
  const dir = await tempDir(t);
  await chmod(dir, 0o500);
  const { exitCode, stderr } = await tickhaul(FIRST, { env: envOf(await sandbox(t), dir) });
  assert.equal(exitCode, 8);
  assert.match(stderr, new RegExp(dir));
});

test('a file where the folder should be ends with code 8', async (t) => {
  const dir = join(await tempDir(t), 'file');
  await (await import('node:fs/promises')).writeFile(dir, '');
  const { exitCode, stderr } = await runHere(FIRST, {
    env: { ...envOf(await sandbox(t), dir), XDG_CACHE_HOME: await tempDir(t) },
  });
  assert.equal(exitCode, 8, stderr);
});

test('the key comes from a file or stdin, trimmed, and is found nowhere afterwards', async (t) => {
  const service = await sandbox(t);
  const dir = await tempDir(t);
  const env = envOf(service, dir, '');
  const args = ['download', ...tradesOf('2024-03-02')];
  const finished = await tickhaul([...args, '--api-key-file', '-', '--verbose', '--json'], {
    env,
    stdin: '  sandbox-key\r\n',
  });
  assert.equal(finished.exitCode, 0, finished.stderr);
  assert.match(finished.stderr, /GET /);
  const written = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const texts = await Promise.all(
    written.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')),
  );
  assert.doesNotMatch([finished.stdout, finished.stderr, ...texts].join('\n'), /sandbox-key/);
  const broken = await tickhaul(args, { env: { ...env, TICKHAUL_API_KEY: 'sandbox\nkey' } });
  assert.equal(broken.exitCode, 2);
  assert.doesNotMatch(broken.stderr, /sandbox/);
});

test('symbols with odd characters arrive and are stored right', async (t) => {
  const service = await sandbox(t);
  const dir = await tempDir(t);
  const symbols = 'a+b/usd,100%-USD,café-usd';
  const args = ['download', 'coinbase', '-t', 'trades', '-s', symbols, '--date', '2024-03-01', '--json'];
  const finished = await runHere(args, { env: envOf(service, dir) });
  assert.equal(finished.exitCode, 0, finished.stderr);
  assert.deepEqual(await namesIn(dir), [
    'coinbase_trades_2024-03-01_100%-USD.csv.gz',
    'coinbase_trades_2024-03-01_A+B-USD.csv.gz',
    'coinbase_trades_2024-03-01_CAFÉ-USD.csv.gz',
  ]);
  const text = gunzipSync(await readFile(join(dir, 'coinbase_trades_2024-03-01_CAFÉ-USD.csv.gz'))).toString();
  assert.match(text, /^exchange,symbol,/);
});

test('--max-rate is kept over all transfers', async (t) => {
  const service = await sandbox(t, { rows: 3000 });
  const env = envOf(service, await tempDir(t));
  const finished = await runHere([...FIRST, '-t', 'quotes,book_ticker', '--max-rate', '100KB', '--json'], {
    env,
  });
  const { bytes, seconds } = lastLine(finished) as { bytes: number; seconds: number };
  assert.equal(finished.exitCode, 0, finished.stderr);
  assert.ok(bytes > 50_000 && bytes / seconds <= 110_000, `${bytes} bytes in ${seconds} s`);
});

test('a proxy that refuses is named, with code 5', async (t) => {
  const service = await sandbox(t);
  const env = { ...envOf(service, await tempDir(t)), HTTP_PROXY: 'http://user:hidden@127.0.0.1:9' };
  const { exitCode, stderr } = await runHere(['exchanges'], { env });
  assert.equal(exitCode, 5);
  assert.match(stderr, /proxy/i);
  assert.doesNotMatch(stderr, /hidden/);
});

test('rm -rf of the folder between two runs is no obstacle', async (t) => {
  const service = await sandbox(t);
  const dir = join(await tempDir(t), 'a', 'b');
  const env = { ...envOf(service, dir), XDG_CACHE_HOME: await tempDir(t) };
  assert.equal((await runHere(FIRST, { env })).exitCode, 0);
  await rm(dir, { recursive: true });
  assert.equal((await runHere(FIRST, { env })).exitCode, 0);
  assert.equal((await namesIn(dir)).length, 1);
});
