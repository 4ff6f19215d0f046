import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { verifyFile } from '../../../src/gzip/verify-file.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js';
import { envOf, jsonLines, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { NO_SAMPLES, SAMPLES, SAMPLES_DIR } from '../../helpers/samples.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tradesOf } from '../../helpers/selection.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { DAYS, FIRST, lastLine } from './downloading.js';

/** Each documented exit code of a download, and how to cause it. */
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

for (const [code, what, options, args, more] of CODES) {
  test(`exit code ${code}: ${what}, also in the summary, which is the last line`, async (t) => {
    const { dir, env } = await sandboxAndFolder(t, { retryAfterSeconds: 0, ...options });
    // The built command ends with a code of several reasons as with any other.
    const execute = code === 3 ? tickhaul : runHere;
    const finished = await execute([...args, '--json'], { env: { ...env, ...more } });
    assert.equal(finished.exitCode, code, finished.stderr);
    const summary = lastLine(finished);
    assert.deepEqual([summary?.event, summary?.['exitCode']], ['summary', code]);
    assert.doesNotMatch(finished.stdout + finished.stderr, /sandbox-key|Bearer/);
    assert.doesNotMatch(finished.stderr, /\n {4}at /, 'no stack trace');
    for (const name of await namesIn(dir)) if (name.endsWith('.csv.gz')) await verifyFile(join(dir, name));
  });
}

test('--quiet prints nothing if a run has nothing to report', async (t) => {
  const { env } = await sandboxAndFolder(t);
  for (let night = 0; night < 2; night++) {
    const { exitCode, stdout, stderr } = await runHere([...DAYS, '--quiet'], { env });
    assert.deepEqual([exitCode, stdout, stderr], [0, '', '']);
  }
});

test('without a terminal, prints plain lines for failed files and next steps', async (t) => {
  const service = await sandbox(t, { faults: { '500': 1 } });
  const env = envOf(service, await tempDir(t), '');
  const { stderr, stdout, exitCode } = await runHere([...DAYS, '--to', '2024-03-12', '--retries', '0'], {
    env,
  });
  assert.equal(exitCode, 3, 'a failed file, and files without a key');
  assert.equal(stdout, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the first character of control sequences
  assert.doesNotMatch(stderr, /\u001b/);
  assert.equal(stderr.match(/binance-futures_trades_2024-03-01_BTCUSDT\.csv\.gz/g)?.length, 1, stderr);
  assert.match(stderr, /TICKHAUL_API_KEY/);
  assert.match(stderr, /tickhaul status binance-futures --wait/);
});

test('reads the key from a file or stdin, trims it, and leaves it nowhere', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const env = envOf(service, dir, '');
  const args = ['download', ...tradesOf('2024-03-02')];
  const finished = await succeeded(
    tickhaul([...args, '--api-key-file', '-', '--verbose', '--json'], {
      env,
      stdin: '  sandbox-key\r\n',
    }),
  );
  assert.match(finished.stderr, /GET /);
  const written = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const texts = await Promise.all(
    written.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')),
  );
  assert.doesNotMatch([finished.stdout, finished.stderr, ...texts].join('\n'), /sandbox-key/);
});

test('downloads and stores symbols with special characters', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const symbols = 'a+b/usd,100%-USD,café-usd';
  const args = ['download', 'coinbase', '-t', 'trades', '-s', symbols, '--date', '2024-03-01', '--json'];
  await succeeded(runHere(args, { env }));
  assert.deepEqual(await namesIn(dir), [
    'coinbase_trades_2024-03-01_100%-USD.csv.gz',
    'coinbase_trades_2024-03-01_A+B-USD.csv.gz',
    'coinbase_trades_2024-03-01_CAFÉ-USD.csv.gz',
  ]);
  const text = gunzipSync(await readFile(join(dir, 'coinbase_trades_2024-03-01_CAFÉ-USD.csv.gz'))).toString();
  assert.match(text, /^exchange,symbol,/);
});

test('--max-rate limits all transfers together', async (t) => {
  const { env } = await sandboxAndFolder(t, { rows: 3000 });
  const finished = await runHere([...FIRST, '-t', 'quotes,book_ticker', '--max-rate', '100KB', '--json'], {
    env,
  });
  const { bytes, seconds } = (lastLine(finished) ?? {}) as { bytes: number; seconds: number };
  assert.equal(finished.exitCode, 0, finished.stderr);
  assert.ok(bytes > 50_000 && bytes / seconds <= 110_000, `${bytes} bytes in ${seconds} s`);
});

test('the summary ends with the folder of the files', async (t) => {
  const service = await sandbox(t);
  const dir = join(await tempDir(t), 'data');
  const env = { ...envOf(service, dir), XDG_CACHE_HOME: await tempDir(t) };
  for (const what of ['downloaded', 'skipped']) {
    const { stderr } = await runHere(FIRST, { env });
    assert.match(stderr, new RegExp(`\\n1 ${what} .*\\n`));
    assert.ok(stderr.endsWith(`\nthe files are in ${dir}\n`), stderr);
  }
});

test('real samples served over HTTP are downloaded, verified and stored under their names', {
  skip: NO_SAMPLES,
}, async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { replayDir: SAMPLES_DIR, exportedUntil: undefined });
  for (const sample of SAMPLES) {
    const [exchange = '', rest = ''] = splitOnce(sample.replace(/\.csv$/, ''), '_');
    const [dataType = '', dayAndSymbol = ''] = rest.split(/_(?=\d{4}-\d\d-\d\d_)/);
    const [day = '', symbol = ''] = splitOnce(dayAndSymbol, '_');
    const args = ['download', exchange, '-t', dataType, '-s', symbol, '--date', day, '--json'];
    const run = sample === SAMPLES[0] ? tickhaul : runHere;
    const finished = await succeeded(run(args, { env }));
    const arrived = gunzipSync(await readFile(join(dir, `${sample}.gz`)));
    const real = await readFile(join(SAMPLES_DIR, sample));
    assert.deepEqual(arrived, real, sample);
    const file = jsonLines(finished).find((line) => line.event === 'file');
    const rows = real.toString().trimEnd().split('\n').length - 1;
    assert.deepEqual(
      [file?.['status'], file?.['md5Match'], file?.['rows']],
      ['downloaded', true, rows],
      sample,
    );
  }
});

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}
