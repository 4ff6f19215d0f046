import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFile, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseDay } from '../../../src/day-files/day.js';
import { jsonLines, succeeded } from '../../helpers/cli.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import {
  downloadFolder,
  FIRST,
  FOURTH,
  type Folder,
  folderOf,
  listNames,
  SECOND,
  THIRD,
} from '../../verify/helpers.js';

const ALL = [FIRST, SECOND, THIRD, FOURTH];

/** A folder with its lock file. */
async function locked(t: TestContext): Promise<Folder & { lock: string; text: string }> {
  const folder = await downloadFolder(t);
  const lock = join(folder.dir, '..', 'tickhaul.lock');
  assert.equal((await folder.run('lock', '-o', lock)).exitCode, 0);
  return { ...folder, lock, text: await readFile(lock, 'utf8') };
}

const asked = ({ service }: Folder): number =>
  service.requests.filter(({ host }) => host === 'datasets').length;

test('a lock file downloads the same bytes elsewhere, without requesting the exchange record', async (t) => {
  const { dir, lock, text } = await locked(t);
  const other = folderOf(await sandbox(t), join(await tempDir(t), 'data'));
  await succeeded(other.run('download', '--frozen', lock));
  for (const name of ALL)
    assert.deepEqual(await readFile(join(other.dir, name)), await readFile(join(dir, name)));
  assert.equal((await other.run('lock', '-o', '-')).stdout, text);
  assert.equal(asked(other), 4);
  assert.ok(other.service.requests.every(({ url }) => !url.startsWith('/v1/exchanges')));
});

test('verifies existing files, and downloads only files that differ', async (t) => {
  const folder = await locked(t);
  const { dir, lock, run, verify } = folder;
  const before = await readFile(join(dir, FIRST));
  const harmed = Buffer.from(before);
  harmed.writeUInt8(harmed.readUInt8(100) ^ 1, 100);
  await writeFile(join(dir, FIRST), harmed);
  await rm(join(dir, SECOND));
  // Another complete file, which matches the manifest.
  await writeFile(join(dir, THIRD), gzipSync('exchange,symbol,timestamp,local_timestamp\n'));
  await rm(join(dir, '.tickhaul', 'manifest.jsonl'));
  await verify('--adopt');
  const count = asked(folder);
  await succeeded(run('download', '--frozen', lock));
  assert.equal(asked(folder), count + 3);
  assert.deepEqual(await readFile(join(dir, FIRST)), before);
  assert.deepEqual((await verify()).bad, []);
  assert.equal((await run('lock', '-o', '-')).stdout, folder.text);
  const again = jsonLines(await run('download', '--frozen', lock, '--json'));
  assert.deepEqual([again.at(-1)?.['verified'], asked(folder)], [4, count + 3]);
  await writeFile(join(dir, FIRST), harmed);
  const trusting = jsonLines(await run('download', '--frozen', lock, '--existing', 'skip', '--json'));
  assert.equal(trusting.at(-1)?.['skipped'], 4);
});

test('a pipe at the path of a day file is replaced without being read', {
  skip: process.platform === 'win32' && 'no pipes with names here',
}, async (t) => {
  const { dir, lock, run } = await locked(t);
  const before = await readFile(join(dir, FIRST));
  await rm(join(dir, FIRST));
  execFileSync('mkfifo', [join(dir, FIRST)]);
  const { exitCode, stderr } = await run('download', '--frozen', lock);
  assert.deepEqual([exitCode, await readFile(join(dir, FIRST))], [0, before], stderr);
});

test('other bytes of the service are code 6, and the existing file is kept', async (t) => {
  const { dir, lock } = await locked(t);
  const changed = folderOf(await sandbox(t, { seed: 2 }), dir);
  await truncate(join(dir, FIRST), 100);
  await rm(join(dir, SECOND));
  const result = await changed.run('download', '--frozen', lock, '--json');
  assert.equal(result.exitCode, 6);
  const failed = jsonLines(result).filter(({ status }) => status === 'failed');
  assert.deepEqual(
    failed.map(({ path, error }) => [path, (error as { code: string }).code]).sort(),
    [FIRST, SECOND].map((path) => [path, 'changed']),
  );
  assert.match(JSON.stringify(failed), /the service has other bytes than the lock file names/);
  assert.equal((await readFile(join(dir, FIRST))).length, 100);
  assert.deepEqual(await listNames(dir), [FIRST, THIRD, FOURTH]);
  // Each file is requested once, since a retry cannot help.
  assert.equal(asked(changed), 2);
});

test('a day file that the lock file does not name is reported, kept, and fails the run', async (t) => {
  const { dir, lock, run } = await locked(t);
  await copyFile(join(dir, FIRST), join(dir, 'extra.csv.gz'));
  await writeFile(join(dir, 'notes.txt'), 'mine');
  const result = await run('download', '--frozen', lock, '--json');
  const lines = jsonLines(result);
  assert.equal(result.exitCode, 6);
  assert.deepEqual(
    [lines.at(-1)?.['verified'], lines.at(-1)?.['extra'], lines.at(-1)?.['exitCode']],
    [4, 1, 6],
  );
  assert.deepEqual(
    lines.filter(({ event }) => event === 'finding').map(({ kind, path }) => [kind, path]),
    [['extra', 'extra.csv.gz']],
  );
  assert.ok((await listNames(dir)).includes('extra.csv.gz'));
});

test('an invalid lock file, or one with a path outside the folder, is refused before any request', async (t) => {
  const { lock, text, run, service } = await locked(t);
  const count = service.requests.length;
  for (const [from, to, message] of [
    ['{"path', '<<<<<<< {"path', /tickhaul\.lock line 2: expected a JSON object/],
    [FIRST, `../${FIRST}`, /tickhaul\.lock line 2: the path .* leads out/],
    ['"bytes"', '"byte"', /tickhaul\.lock line 2: unknown key "byte"/],
  ] as const) {
    await writeFile(lock, text.replace(from, to));
    const { exitCode, stderr } = await run('download', '--frozen', lock);
    assert.deepEqual([exitCode, stderr.split('\n').length], [2, 2], stderr);
    assert.match(stderr, message);
  }
  assert.equal(service.requests.length, count);
});

test('a dry run shows what a lock file or a list would download', async (t) => {
  const folder = await locked(t);
  const { dir, lock, run } = folder;
  await rm(join(dir, FIRST));
  const count = asked(folder);
  const [plan] = jsonLines(await run('download', '--frozen', lock, '--dry-run', '--json'));
  assert.deepEqual([plan?.['files'], plan?.['download'], plan?.['skip']], [4, 1, 3]);
  assert.equal(asked(folder), count);
});

const NAMED = ['binance-futures', '-t', 'trades,quotes', '-s', 'BTC*,ETHUSDT'];

test('a pinned plan stays the same when the record changes', async (t) => {
  const place = await tempDir(t);
  const pin = join(place, 'plan.json');
  const older = folderOf(await sandbox(t, { exportedUntil: parseDay('2024-03-05') }), join(place, 'a'));
  const planned = await succeeded(
    older.run('plan', ...NAMED, '--last', '2d', '--layout', 'hive', '--json', '--pin', pin),
  );

  const newer = folderOf(await sandbox(t, { exportedUntil: parseDay('2024-03-09') }), join(place, 'b'));
  const asked = newer.service.requests.length;
  const again = await newer.run('plan', '--pinned', pin, '--json');
  const filesOf = (lines: typeof planned) => jsonLines(lines).filter(({ event }) => event === 'file');
  assert.deepEqual(filesOf(again), filesOf(planned));
  assert.ok(newer.service.requests.slice(asked).every(({ url }) => !url.startsWith('/v1/exchanges')));

  const paths = (lines: typeof planned): readonly string[] => filesOf(lines).map(({ path }) => String(path));
  const shards = ['0/2', '1/2'].map((shard) =>
    newer.run('download', '--pinned', pin, '--shard', shard, '--json'),
  );
  const downloaded = (await Promise.all(shards)).flatMap(paths);
  assert.ok(downloaded.length > 4 && downloaded.every((path) => path.startsWith('exchange=')));
  assert.deepEqual(downloaded.toSorted(), paths(planned).toSorted());
  assert.ok(!(await readFile(pin, 'utf8')).includes(older.service.apiKey));
});

test('a modified pinned plan, and flags that contradict it, are usage errors', async (t) => {
  const folder = folderOf(await sandbox(t), join(await tempDir(t), 'data'));
  const pin = join(await tempDir(t), 'plan.json');
  assert.equal((await folder.run('plan', ...NAMED, '--date', '2024-03-01', '--pin', pin)).exitCode, 0);
  const text = await readFile(pin, 'utf8');
  const other = join(await tempDir(t), 'other.json');
  const errorOf = async (...flags: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await folder.run('plan', ...flags);
    assert.deepEqual([exitCode, stdout, stderr.trimEnd().split('\n').length], [2, '', 1], stderr);
    return stderr;
  };
  for (const changed of [
    text.replace('BTC*', 'ETH*'),
    text.slice(0, -100),
    text.replace('}\n', '}'),
    `${text}x`,
  ]) {
    await writeFile(other, changed);
    assert.match(await errorOf('--pinned', other), /other\.json: was changed or truncated/);
  }
  for (const foreign of ['', '{}', '{"event":"plan"}\n'.repeat(20)]) {
    await writeFile(other, foreign);
    assert.match(await errorOf('--pinned', other), /other\.json: is not a pinned plan/);
  }
  assert.match(await errorOf('--pinned', join(folder.dir, 'none')), /--pinned: cannot read the file/);
  assert.match(await errorOf('--pinned', pin, '--layout', 'flat'), /leave --layout out/);
  assert.match(await errorOf('deribit', '--pinned', pin), /leave "deribit" out/);
  assert.match(await errorOf('--pinned', pin, '--from-file', pin), /use only one of them/);
  assert.match(await errorOf('--pinned', pin, '--pin', other), /leave --pin out/);
  assert.match(await errorOf('--from-file', pin, '--pin', other), /leave --pin out/);
});
