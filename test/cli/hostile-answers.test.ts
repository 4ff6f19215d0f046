import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseOptionsParameter } from '../../src/server/request-options.js';
import { failedWith, jsonLines, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { tempDir } from '../helpers/temp.js';
import { serve } from '../service/loopback.js';

const EXPORTED = '2024-03-10T00:00:00.000Z';

const listed = (id: string) => ({
  id,
  type: 'spot\x1b]0;title\x07',
  dataTypes: ['trades'],
  availableSince: '2024-01-01T00:00:00.000Z',
});

test('control characters of a record never reach the terminal', async (t) => {
  const record = {
    id: 'deribit',
    name: '\x1b[2JDeribit\t\r\n\x9b31m\u202eneedle',
    availableSince: '\x1b[31m2019',
    datasets: { exportedUntil: EXPORTED, symbols: [listed('BTC\x1b[2J\n-X')] },
  };
  const address = await serve(t, ({ url }, answer) => {
    answer.end(JSON.stringify(url === '/v1/exchanges' ? [record] : record));
  });
  const env = { TICKHAUL_API_URL: address, XDG_CACHE_HOME: await tempDir(t) };
  for (const words of [['exchanges'], ['exchanges', 'deribit'], ['symbols', 'deribit']]) {
    const { stdout } = await succeeded(runHere(words, { env }));
    assert.doesNotMatch(stdout, /[^\P{Cc}\n]|\u202e/u, words.join(' '));
    assert.match(stdout, /\ufffd/);
    const json = await runHere([...words, '--json'], { env });
    assert.doesNotMatch(json.stdout, /[^\P{Cc}\n]|\u202e/u, words.join(' '));
    assert.ok(JSON.stringify(JSON.parse(json.stdout)).includes('\\u001b['));
  }
});

/** Starts a service with endless responses. @returns its address, and a function for the bytes written until now. */
async function endlessService(t: TestContext): Promise<{ address: string; written: () => number }> {
  let written = 0;
  const address = await serve(t, (_, answer) => {
    const block = Buffer.alloc(64 * 1024, ' ');
    const more = (): void => {
      while (!answer.destroyed) {
        written += block.length;
        if (!answer.write(block)) return;
      }
    };
    answer.on('drain', more);
    more();
  });
  return { address, written: () => written };
}

for (const words of [
  ['exchanges', 'deribit'],
  ['instruments', 'deribit'],
]) {
  test(`${words[0]}: an endless metadata response is aborted with code 5`, async (t) => {
    const { address } = await endlessService(t);
    const env = {
      TICKHAUL_API_URL: address,
      XDG_CACHE_HOME: await tempDir(t),
      TICKHAUL_MAX_ANSWER: '2MB',
    };
    const { exitCode, stderr } = await runHere(words, { env });
    assert.equal(exitCode, 5, stderr);
    assert.match(stderr, /the response is larger than 2\.0 MB; check the host, or raise TICKHAUL_MAX_ANSWER/);
  });

  test(`${words[0]}: without a configured limit, at most 201 MB of it are read`, async (t) => {
    const { address, written } = await endlessService(t);
    const env = { TICKHAUL_API_URL: address, XDG_CACHE_HOME: await tempDir(t) };
    await failedWith(runHere(words, { env }), 5, /the response is larger than 201 MB/);
    // Bytes in the buffers of both ends are sent but not read.
    assert.ok(written() < 240e6, `${written()} bytes were sent`);
  });
}

test('a symbol listed twice, or in two cases, counts once', async (t) => {
  const symbols = ['btcusdt', 'BTCUSDT', 'BTCUSDT', 'ETHUSDT', 'ethusdt'].map(listed);
  const record = { id: 'binance', datasets: { exportedUntil: EXPORTED, symbols } };
  const address = await serve(t, (_, answer) => void answer.end(JSON.stringify(record)));
  const dir = await tempDir(t);
  const env = { TICKHAUL_API_URL: address, XDG_CACHE_HOME: dir, TICKHAUL_DIR: dir };
  for (const symbol of ['all', '*', 'BTCUSDT,ethusdt,btcusdt']) {
    const words = ['plan', 'binance', '-t', 'trades', '-s', symbol, '--date', '2024-03-01', '--json'];
    const files = jsonLines(await runHere(words, { env })).filter(({ event }) => event === 'file');
    assert.deepEqual(files.map((file) => file['symbol']).toSorted(), ['BTCUSDT', 'ETHUSDT'], symbol);
  }
});

test('endless headers are reported as the cause', async (t) => {
  const address = await serve(t, (_, answer) => {
    answer.writeHead(
      200,
      Object.fromEntries(Array.from({ length: 40 }, (__, n) => [`x-${n}`, 'y'.repeat(1000)])),
    );
    answer.end('[]');
  });
  const env = { TICKHAUL_API_URL: address, XDG_CACHE_HOME: await tempDir(t) };
  const { exitCode, stderr } = await runHere(['exchanges'], { env });
  assert.equal(exitCode, 5, stderr);
  assert.match(stderr, /sent more headers than the service ever does/);
  assert.doesNotMatch(stderr, /DNS/);
});

/** Recursive code overflows its stack long before. */
const DEEP = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;

const RECORD = {
  id: 'deribit',
  name: 'Deribit',
  availableSince: '2019-03-30T00:00:00.000Z',
  datasets: { exportedUntil: '2024-03-10T00:00:00.000Z', symbols: [] },
};

for (const words of [
  ['exchanges', '--json'],
  ['exchanges', 'deribit', '--json'],
  ['symbols', 'deribit', '--json'],
  ['instruments', 'deribit', '--json'],
  ['key', '--json'],
]) {
  test(`${words.join(' ')}: a response that is nested too deep is code 5`, async (t) => {
    const address = await serve(t, ({ url }, response) => {
      const record = JSON.stringify(RECORD).replace(/}$/, `,"deep":${DEEP}}`);
      response.end(url === '/v1/exchanges/deribit' ? record : `[${record}]`);
    });
    const env = { TICKHAUL_API_URL: address, TICKHAUL_API_KEY: 'TD.key', XDG_CACHE_HOME: await tempDir(t) };
    await failedWith(runHere(words, { env }), 5, /: (the response is nested too deeply|.* is missing)$/m);
  });
}

test('options of a client that are nested too deep are its error', () => {
  const query = new URLSearchParams({ options: `{"exchange":"deribit","symbols":${DEEP}}` });
  assert.throws(() => parseOptionsParameter(query), { code: 'usage', message: /is not JSON .*nested/ });
});

const CONFIGS: readonly (readonly [string, string, RegExp])[] = [
  ['brackets', `jobs: ${DEEP}\n`, /^tickhaul: .*:1: values are nested more than 100 deep$/m],
  ['JSON', `{"jobs":${DEEP}}`, /:1: values are nested more than 100 deep$/m],
  ['lists in one line', `jobs:\n  ${'- '.repeat(50_000)}x\n`, /:1: values are nested more than 100 deep$/m],
  ['keys', Array.from({ length: 4000 }, (_, i) => `k${i}: 1`).join('\n'), /:1: a map has too many keys$/m],
  ['unknown keys', Array.from({ length: 2000 }, (_, i) => `k${i}: 1`).join('\n'), /:1: unknown key "k0"/],
];

for (const [name, text, message] of CONFIGS) {
  test(`a config file with too many ${name} is code 2`, async (t) => {
    const path = join(await tempDir(t), 'c.yaml');
    await writeFile(path, text);
    await failedWith(runHere(['sync', '--config', path, '--dry-run']), 2, message);
  });
}

test('a lock file with a line that is nested too deep is code 2', async (t) => {
  const dir = await tempDir(t);
  const lock = join(dir, 'files.lock');
  await writeFile(lock, `{"tickhaulLock":1}\n{"path":${DEEP}}\n`);
  await failedWith(runHere(['download', '--frozen', lock, '--dir', dir]), 2, /line 2/);
});

test('lines of a folder’s state that are nested too deep are passed over', async (t) => {
  const dir = await tempDir(t);
  const state = join(dir, '.tickhaul');
  await mkdir(state);
  const line = `{"exchange":"deribit","dataType":"trades","path":"a.csv.gz","bytes":1,"date":"2024-03-01","symbol":"S","rows":${DEEP}}\n`;
  for (const name of ['manifest.jsonl', 'audit.jsonl', 'conversions.jsonl', 'exports.jsonl'])
    await writeFile(join(state, name), line);
  for (const words of [
    ['verify', dir],
    ['audit', dir, '--offline'],
    ['coverage', dir],
    ['manifest', 'merge', dir, '--dir', join(dir, 'x')],
  ]) {
    const { exitCode, stderr } = await runHere(words);
    assert.ok([0, 2, 6].includes(Number(exitCode)), `${words}: ${exitCode} ${stderr}`);
    assert.doesNotMatch(stderr, /a bug in tickhaul/);
  }
});
