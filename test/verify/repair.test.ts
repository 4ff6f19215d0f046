import assert from 'node:assert/strict';
import { readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Sandbox } from '../../src/sandbox/sandbox-options.js';
import { start } from '../helpers/cli.js';
import { STALLED, sandbox } from '../helpers/sandbox.js';
import { until } from '../helpers/until.js';
import { downloadFolder, FIRST, FOURTH, folderOf, listNames, SECOND, THIRD } from './helpers.js';

test('bad files are downloaded again, and no others', async (t) => {
  const { dir, verify, service } = await downloadFolder(t);
  const before = await readFile(join(dir, FIRST));
  await truncate(join(dir, FIRST), 100);
  await rm(join(dir, SECOND));
  const asked = datasetRequests(service);
  const { exitCode, bad, summary } = await verify('--repair');
  assert.deepEqual([exitCode, bad], [0, [`repaired ${FIRST}`, `repaired ${SECOND}`]]);
  assert.deepEqual(summary.counts, { verified: 2, repaired: 2 });
  assert.equal(datasetRequests(service), asked + 2);
  assert.deepEqual(await readFile(join(dir, FIRST)), before);
  assert.deepEqual((await verify()).bad, []);
  assert.deepEqual(await listNames(dir), [FIRST, SECOND, THIRD, FOURTH]);
});

test('the old file stays if the service has only bad bytes, and the run reports that', async (t) => {
  const { dir } = await downloadFolder(t);
  const bad = folderOf(await sandbox(t, { faults: { 'bit-flip': 1 } }), dir);
  await truncate(join(dir, FIRST), 100);
  const left = await readFile(join(dir, FIRST));
  const { exitCode, files, summary } = await bad.verify('--repair');
  assert.deepEqual([exitCode, summary.counts], [6, { verified: 3, corrupt: 1 }]);
  const { error } = files.find(({ status }) => status === 'corrupt') ?? {};
  assert.match(error?.message ?? '', /has 100 bytes, \d+ were recorded; repairing it failed: /);
  assert.deepEqual(await readFile(join(dir, FIRST)), left);
  assert.deepEqual(await listNames(dir), [FIRST, SECOND, THIRD, FOURTH]);
});

test('if the service is unreachable, missing files stay missing, and the exit code is that of the folder', async (t) => {
  const { dir, verify, service } = await downloadFolder(t);
  await rm(join(dir, FIRST));
  await rm(join(dir, THIRD));
  await service.close();
  const { exitCode, bad, files } = await verify('--repair');
  assert.deepEqual([exitCode, bad], [6, [`missing ${FIRST}`, `missing ${THIRD}`]]);
  assert.match(JSON.stringify(files), /cannot be reached/);
});

test('a day that needs a key is not requested without one', async (t) => {
  const { dir, run, env, service } = await downloadFolder(t);
  await rm(join(dir, FIRST));
  await rm(join(dir, SECOND));
  const asked = datasetRequests(service);
  delete env['TICKHAUL_API_KEY'];
  const { exitCode, stderr } = await run('verify', '--repair');
  assert.equal(exitCode, 6);
  assert.match(stderr, /2024-03-02_BTCUSDT.csv.gz: is missing; repairing it failed: it needs an API key/);
  assert.match(stderr, /2 verified|1 repaired/);
  assert.equal(datasetRequests(service), asked + 1);
});

test('a killed repair leaves the old file, and the next one completes it', async (t) => {
  // A file too large to be written at once, whose responses stall, so that its part can be observed.
  const { dir, verify } = await downloadFolder(t, { rows: 10_000 });
  const slow = folderOf(await sandbox(t, { ...STALLED, rows: 10_000 }), dir);
  await truncate(join(dir, FIRST), 100);
  const { child, finished } = start(['verify', '--repair'], { env: slow.env });
  await until('a part', () => sizeOf(join(dir, `${FIRST}.part`)), finished);
  child.kill('SIGKILL');
  assert.equal((await finished).exitCode, null);
  assert.equal(await sizeOf(join(dir, FIRST)), 100);
  const { exitCode, bad } = await verify('--repair', '--clean');
  assert.deepEqual([exitCode, bad], [0, [`repaired ${FIRST}`]]);
  assert.deepEqual(await listNames(dir), [FIRST, SECOND, THIRD, FOURTH]);
});

function datasetRequests({ requests }: Sandbox): number {
  return requests.filter(({ host }) => host === 'datasets').length;
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
