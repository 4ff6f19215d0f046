import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { downloadFolder, FIRST, listNames, SECOND, SELECTION, THIRD } from './helpers.js';

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
  assert.equal((await run('lock', '--dir', dir, '-o', '-')).exitCode, 0);

  const asked = service.requests.filter(({ host }) => host === 'datasets').length;
  const again = await run('download', ...SELECTION);
  assert.equal(again.exitCode, 0, again.stderr);
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
