import assert from 'node:assert/strict';
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Sandbox } from '../../src/sandbox/sandbox-options.js';
import { start, succeeded } from '../helpers/cli.js';
import { STALLED, sandbox } from '../helpers/sandbox.js';
import { until } from '../helpers/until.js';
import { downloadFolder, FIRST, FOURTH, folderOf, listNames, SECOND, SELECTION, THIRD } from './helpers.js';

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

const parquetOf = (name: string): string => name.replace('.csv.gz', '.parquet');

test('deleted days are forgotten, and downloaded again only if requested', async (t) => {
  const { dir, verify, run, service } = await downloadFolder(t);
  await rm(join(dir, FIRST));
  await rm(join(dir, THIRD));
  assert.match((await run('lock', '--dir', dir)).stderr, /or with --forget if they were deleted on purpose/);

  const one = await verify('--forget', FIRST);
  assert.deepEqual([one.exitCode, one.bad], [0, [`forgotten ${FIRST}`]]);
  const rest = await verify('--quick', '--forget');
  assert.deepEqual([rest.exitCode, rest.bad], [0, [`forgotten ${THIRD}`]]);
  const after = await verify();
  assert.deepEqual([after.exitCode, after.bad], [0, ['gap BTCUSDT']]);
  await succeeded(run('lock', '--dir', dir, '-o', '-'));

  const asked = service.requests.filter(({ host }) => host === 'datasets').length;
  await succeeded(run('download', ...SELECTION));
  assert.equal(service.requests.filter(({ host }) => host === 'datasets').length, asked + 2);
  assert.deepEqual((await verify()).summary.counts, { verified: 4 });
});

test('if a day file or its conversion is missing, the other stays recorded', async (t) => {
  const { dir, verify } = await downloadFolder(t, {}, ['--convert', 'parquet']);
  await rm(join(dir, FIRST));
  await rm(join(dir, parquetOf(SECOND)));
  await rm(join(dir, THIRD));
  await rm(join(dir, parquetOf(THIRD)));
  const gone = [FIRST, parquetOf(SECOND), THIRD, parquetOf(THIRD)].map((name) => `forgotten ${name}`);
  assert.deepEqual((await verify('--forget')).bad, gone.sort());
  const after = await verify();
  assert.deepEqual([after.exitCode, after.bad, after.summary.counts.verified], [0, ['gap BTCUSDT'], 4]);
  assert.equal((await listNames(dir)).length, 4);
});

test('corrupt files are not forgotten, and --forget and --repair exclude each other', async (t) => {
  const { dir, verify, run } = await downloadFolder(t);
  await writeFile(join(dir, FIRST), 'no gzip');
  await rm(join(dir, SECOND));
  const { exitCode, bad } = await verify('--forget');
  assert.deepEqual([exitCode, bad], [6, [`corrupt ${FIRST}`, `forgotten ${SECOND}`]]);
  const both = await run('verify', '--forget', '--repair');
  assert.deepEqual([both.exitCode, both.stderr.split('\n').length], [2, 2], both.stderr);
});
