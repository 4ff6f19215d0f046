import assert from 'node:assert/strict';
import { copyFile, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import { downloaded, FIRST, nameOf, SELECTION } from './helpers.js';

test('files of a layout whose names tell nothing are recorded by their download, which requests none', async (t) => {
  const layout = ['--layout', '{exchange}/{type}/{symbol}/{date}'];
  const { dir, verify, run, service } = await downloaded(t, {}, layout);
  await rm(join(dir, '.tickhaul', 'manifest.jsonl'));
  const { findings } = await verify('--adopt');
  assert.match(findings[0]?.message ?? '', /does not tell which day file it is; tickhaul download with its/);
  const asked = service.requests.filter(({ host }) => host === 'datasets').length;
  assert.match((await run('download', ...SELECTION, ...layout)).stderr, /4 verified/);
  assert.equal(service.requests.filter(({ host }) => host === 'datasets').length, asked);
  assert.equal((await verify()).summary.counts.verified, 4);
});

test('files that the manifest does not know are told, and adopted where they are whole', async (t) => {
  const { dir, verify } = await downloaded(t);
  await copyFile(join(dir, FIRST), join(dir, 'mine.csv.gz'));
  await copyFile(join(dir, FIRST), join(dir, nameOf('01', 'ETHUSDT')));
  await writeFile(join(dir, nameOf('02', 'ETHUSDT')), 'no gzip');
  await writeFile(join(dir, 'notes.txt'), 'mine');
  await symlink('.', join(dir, 'circle'));
  const unknown = [`unknown ${nameOf('01', 'ETHUSDT')}`, `unknown ${nameOf('02', 'ETHUSDT')}`];
  assert.deepEqual((await verify()).bad, [...unknown, 'unknown mine.csv.gz']);
  const adopting = await verify('--adopt', '--quick');
  assert.deepEqual(adopting.bad, [`corrupt ${nameOf('02', 'ETHUSDT')}`, 'unknown mine.csv.gz']);
  assert.equal(adopting.exitCode, 6);
  assert.equal((await verify()).summary.counts.verified, 5);
});

test('a file whose name no record can have is told, and not said to be adopted', {
  skip: sep === '\\' && 'a folder, here',
}, async (t) => {
  const { dir, verify } = await downloaded(t);
  const name = nameOf('01', 'A\\B');
  await copyFile(join(dir, FIRST), join(dir, name));
  for (const _ of ['first', 'again']) {
    const { bad, warnings, findings } = await verify('--adopt');
    assert.deepEqual([bad, warnings.trim()], [[`unknown ${name}`], '']);
    assert.match(findings[0]?.message ?? '', /and its name cannot be recorded$/);
  }
});

test('a lost or damaged manifest is made anew from the files, and nothing is downloaded again', async (t) => {
  const { dir, verify, run, service } = await downloaded(t);
  const manifest = join(dir, '.tickhaul', 'manifest.jsonl');
  const lines = (await readFile(manifest, 'utf8')).trim().split('\n');
  await writeFile(manifest, [lines[0], '{"path":"x', lines[2]?.slice(0, 80), ''].join('\n'));
  const damaged = await verify();
  assert.match(damaged.warnings, /2 damaged lines/);
  assert.equal(damaged.bad.length, 3);
  assert.deepEqual((await verify('--adopt')).bad, []);
  await rm(manifest);
  assert.deepEqual((await verify('--adopt')).summary.counts.verified, 4);
  const asked = service.requests.filter(({ host }) => host === 'datasets').length;
  assert.match((await run('download', ...SELECTION)).stderr, /4 skipped/);
  assert.equal(service.requests.filter(({ host }) => host === 'datasets').length, asked);
});
