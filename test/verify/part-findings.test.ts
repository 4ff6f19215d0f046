import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readProcessIdentity } from '../../src/store/lock/lock-holder.js';
import { tryAcquireRunLock } from '../../src/store/lock/run-lock.js';
import { createPrivateSuffix, writeResumeNote } from '../../src/store/part-path.js';
import { start } from '../helpers/cli.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { until } from '../helpers/until.js';
import { type Folder, folderOf, listNames, OWNER, SELECTION } from './helpers.js';

const DAY_MS = 86_400_000;
const note = { etag: '"x"', total: 10 };

async function emptyFolder(t: Parameters<typeof tempDir>[0]): Promise<Folder> {
  const dir = await tempDir(t);
  await mkdir(join(dir, '.tickhaul'));
  return folderOf(await sandbox(t), dir);
}

async function put(dir: string, name: string, days = 0): Promise<void> {
  await writeFile(join(dir, name), 'part');
  const time = new Date(Date.now() - days * DAY_MS);
  await utimes(join(dir, name), time, time);
}

test('a part that the next run resumes stays; others are stale, and removed with --clean', async (t) => {
  const { dir, verify } = await emptyFolder(t);
  await put(dir, 'lone.csv.gz.part');
  await put(dir, 'noted.csv.gz.part');
  await put(dir, 'old.csv.gz.part', 8);
  await put(dir, 'done.csv.gz.part');
  await put(dir, 'done.csv.gz');
  for (const name of ['noted', 'old', 'done', 'gone']) await writeResumeNote(dir, `${name}.csv.gz`, note);
  const stale = ['done', 'lone', 'old'].map((name) => `${name}.csv.gz.part`);
  const found = (kind: string) => [
    'resumable noted.csv.gz.part',
    ...stale.map((name) => `${kind} ${name}`),
    'unknown done.csv.gz',
  ];
  assert.deepEqual((await verify()).bad, found('stale').sort());
  const { exitCode, bad, summary } = await verify('--clean');
  const notes = bad.filter((line) => line.startsWith('removed .tickhaul/parts/'));
  assert.deepEqual([exitCode, notes.length], [0, 1]);
  assert.deepEqual(
    bad.filter((line) => !notes.includes(line)),
    found('removed').sort(),
  );
  assert.deepEqual(summary.findings, { unknown: 1, removed: 4, resumable: 1 });
  assert.deepEqual(await listNames(dir), ['done.csv.gz', 'noted.csv.gz.part']);
  // A note is removed together with its part.
  await verify('--clean');
  assert.equal((await readdir(join(dir, '.tickhaul', 'parts'))).length, 1);
});

test('a part of a running process stays, and one of an ended process does not', {
  skip: (await readProcessIdentity(process.pid)) === undefined && 'no /proc here',
}, async (t) => {
  const { dir, verify } = await emptyFolder(t);
  const alive = `a.csv.gz.${await createPrivateSuffix(process.pid)}.part`;
  const dead = `a.csv.gz.${await createPrivateSuffix(5_000_000)}.part`;
  const converted = `a.parquet.${await createPrivateSuffix(5_000_000)}.part`;
  // Not even one without writes for a long time: its process may be suspended.
  await put(dir, alive, 100);
  await put(dir, dead);
  await put(dir, converted);
  assert.deepEqual((await verify('--clean')).bad, [`removed ${dead}`, `removed ${converted}`].sort());
  assert.deepEqual(await listNames(dir), [alive]);
});

test('a part whose owner cannot be checked stays for a day', async (t) => {
  const { dir, verify } = await emptyFolder(t);
  const names = ['a.csv.gz.17-0123abcd.part', 'a.csv.gz.17-0123abcd-0123abcd.part', 'a.parquet.part'];
  for (const name of names) await put(dir, name, 0.9);
  assert.deepEqual((await verify('--clean')).bad, []);
  for (const name of names) await put(dir, name, 1.1);
  assert.deepEqual((await verify()).summary.findings, { stale: 3 });
  assert.deepEqual((await verify('--clean')).summary.findings, { removed: 3 });
  assert.deepEqual(await listNames(dir), []);
});

test('while another run holds the lock, its parts are ignored, and nothing is removed', async (t) => {
  const { dir, verify, run } = await emptyFolder(t);
  await put(dir, 'a.csv.gz.part');
  const lock = await tryAcquireRunLock(dir, OWNER);
  assert.deepEqual((await verify()).bad, []);
  for (const flag of ['--clean', '--adopt', '--repair']) {
    await assert.rejects(verify(flag), { code: 'locked', message: /process \d+ on \S+ since .* \(test\)/ });
  }
  const { exitCode, stderr } = await run('verify', '--clean', '--lock-timeout', '500ms');
  assert.equal(exitCode, 9, stderr);
  assert.match(stderr, /^waiting for another run to end: process .*\n.*another run holds the lock, process /);
  assert.deepEqual(await listNames(dir), ['a.csv.gz.part']);
  await lock?.release();
  assert.deepEqual((await verify('--clean')).bad, ['removed a.csv.gz.part']);
});

test('leftovers of killed runs are removed, also those of a second run in the folder', {
  skip: (await readProcessIdentity(process.pid)) === undefined && 'no /proc here',
}, async (t) => {
  // Files too large to be read at once.
  const service = await sandbox(t, { rows: 10_000, rate: 2000 });
  const { dir, env, verify } = folderOf(service, join(await tempDir(t), 'data'));
  const parts = async (pattern: RegExp): Promise<number> =>
    (await readdir(dir).catch(() => [])).filter((name) => pattern.test(name)).length;
  const first = start(['download', ...SELECTION], { env });
  await until('a part', () => parts(/\.gz\.part$/), first.finished);
  const second = start(['download', ...SELECTION], { env });
  await until('a private part', () => parts(/-[0-9a-f]{8}\.part$/), second.finished);
  second.child.kill('SIGKILL');
  await second.finished;
  await assert.rejects(verify('--clean'), { code: 'locked', exitCode: 9 });
  first.child.kill('SIGKILL');
  await first.finished;
  const left = await parts(/\.part$/);
  const { exitCode, summary } = await verify('--clean');
  assert.deepEqual([exitCode, summary.findings], [0, { removed: left }]);
  assert.deepEqual(await listNames(dir), []);
});
