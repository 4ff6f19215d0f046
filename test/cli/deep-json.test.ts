import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseOptionsParameter } from '../../src/server/request-options.js';
import { runHere } from '../helpers/in-process.js';
import { tempDir } from '../helpers/temp.js';
import { serve } from '../service/loopback.js';

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
    const { exitCode, stderr } = await runHere(words, { env });
    assert.equal(exitCode, 5, stderr);
    assert.match(stderr, /: (the response is nested too deeply|.* is missing)$/m);
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
    const { exitCode, stderr } = await runHere(['sync', '--config', path, '--dry-run']);
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, message);
  });
}

test('a lock file with a line that is nested too deep is code 2', async (t) => {
  const dir = await tempDir(t);
  const lock = join(dir, 'files.lock');
  await writeFile(lock, `{"tickhaulLock":1}\n{"path":${DEEP}}\n`);
  const { exitCode, stderr } = await runHere(['download', '--frozen', lock, '--dir', dir]);
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /line 2/);
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
