import assert from 'node:assert/strict';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TickhaulError } from '../../src/base/errors.js';
import { formatDay } from '../../src/day-files/day.js';
import type { RunEvent } from '../../src/events/run-events.js';
import { verifyBytes } from '../../src/gzip/verify-file.js';
import { openFolderDestination } from '../../src/store/folder/folder-destination.js';
import { openFolderManifest } from '../../src/store/folder/folder-manifest.js';
import { formatManifestLine } from '../../src/store/manifest/manifest-line.js';
import { verifyDestination as verifyFolder } from '../../src/verify/verify-destination.js';
import { jsonLines, succeeded, tickhaul } from '../helpers/cli.js';
import { tempDir } from '../helpers/temp.js';
import {
  dayFileName,
  downloadFolder,
  FIRST,
  FOURTH,
  listNames,
  NO_ROWS,
  OWNER,
  SECOND,
  THIRD,
} from './helpers.js';

async function flipByte(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
  await writeFile(path, bytes);
}

test('downloaded files are verified, by reading them and by size', async (t) => {
  const { verify, run } = await downloadFolder(t);
  const { exitCode, bad, files, summary } = await verify();
  assert.deepEqual([exitCode, bad, summary.counts.verified], [0, [], 4]);
  const first = files.find(({ path }) => path === FIRST);
  assert.deepEqual([first?.file?.symbol, first?.rows, first?.md5Match], ['BTCUSDT', 300, true]);
  assert.equal((await verify('--quick')).summary.counts.verified, 4);
  const [plan, ...lines] = jsonLines(await run('verify', '--json'));
  assert.deepEqual(plan, { event: 'plan', files: 4 });
  assert.deepEqual(
    lines.map(({ event, status }) => status ?? event),
    ['verified', 'verified', 'verified', 'verified', 'summary'],
  );
  const text = await run('verify');
  assert.equal(text.stdout, '');
  assert.match(text.stderr, /^4 files planned: 4 to verify\n4 verified in /);
});

test('a run whose check thread ends fails, and does not wait for it', async (t) => {
  const { dir, verify } = await downloadFolder(t);
  // Small files of known sizes are read without threads.
  await copyFile(join(dir, FIRST), join(dir, dayFileName('05')));
  process.once('worker', (thread) => void thread.terminate());
  await assert.rejects(verify('--adopt'), /the check thread ended with code/);
});

test('every kind of damage is found', async (t) => {
  const { dir, verify } = await downloadFolder(t);
  const path = (name: string): string => join(dir, name);
  const csv = gzipSync('exchange,symbol,timestamp,local_timestamp\n');
  const whole = await readFile(path(FIRST));
  const cases: [string, (file: string) => Promise<unknown>, string, boolean][] = [
    ['a changed bit', flipByte, 'corrupt', false],
    ['an end cut off', (file) => truncate(file, 100), 'corrupt', true],
    ['bytes behind it', (file) => writeFile(file, Buffer.concat([whole, csv])), 'corrupt', true],
    ['another whole file', (file) => writeFile(file, csv), 'corrupt', true],
    ['other bytes of the same size', (file) => writeFile(file, sameSize(whole)), 'corrupt', false],
    ['nothing', (file) => writeFile(file, ''), 'corrupt', true],
    ['no file', (file) => rm(file), 'missing', true],
    ['a folder', (file) => rm(file).then(() => mkdir(file)), 'corrupt', true],
    ['a link in a circle', (file) => rm(file).then(() => symlink(FIRST, file)), 'failed', true],
  ];
  for (const [name, harm, status, isQuick] of cases) {
    await harm(path(FIRST));
    const { exitCode, bad, files } = await verify();
    assert.deepEqual([exitCode, bad], [status === 'failed' ? 8 : 6, [`${status} ${FIRST}`]], name);
    const { error } = files.find((file) => file.status === status) ?? {};
    assert.match(error?.message ?? '', new RegExp(`^\\S*${FIRST}: `), name);
    assert.deepEqual((await verify('--quick')).bad, isQuick ? [`${status} ${FIRST}`] : [], name);
    await rm(path(FIRST), { recursive: true, force: true });
    await writeFile(path(FIRST), whole);
  }
  assert.equal((await verify()).exitCode, 0);
});

/** A valid gzip file of this many bytes, with other text in it. */
function sameSize(whole: Buffer): Buffer {
  // A comment in the header (RFC 1952, section 2.3) may have any length.
  const other = gzipSync('x\n', { level: 0 });
  other.writeUInt8(0x10, 3);
  const comment = Buffer.alloc(whole.length - other.length, 'c');
  comment.writeUInt8(0, comment.length - 1);
  return Buffer.concat([other.subarray(0, 10), comment, other.subarray(10)]);
}

test('rows are compared with the recorded ones', async (t) => {
  const { dir, verify } = await downloadFolder(t);
  const manifest = join(dir, '.tickhaul', 'manifest.jsonl');
  const lines = (await readFile(manifest, 'utf8')).split('\n');
  const harmed = lines.map((line) =>
    line.includes(FIRST) ? line.replace('"rows":300', '"rows":301') : line,
  );
  await writeFile(manifest, harmed.join('\n'));
  const { exitCode, bad, files } = await verify();
  assert.deepEqual([exitCode, bad], [6, [`corrupt ${FIRST}`]]);
  assert.match(JSON.stringify(files), /has 300 rows, 301 were recorded/);
});

test('paths restrict the check, relative to the working folder or to the download folder', async (t) => {
  const { dir, verify, run, env } = await downloadFolder(t);
  await rm(join(dir, SECOND));
  await rm(join(dir, THIRD));
  const some = await verify(FIRST, FOURTH, '--strict');
  // The days between are recorded, and not checked.
  assert.deepEqual([some.summary.counts, some.exitCode, some.findings], [{ verified: 2 }, 0, []]);
  assert.deepEqual((await verify(SECOND, FIRST)).bad, [`missing ${SECOND}`]);
  await assert.rejects(verify(SECOND, 'nothing.csv.gz'), {
    code: 'usage',
    message: /nothing\.csv\.gz: there is no such file or folder, and no record of one$/,
  });
  for (const [cwd, path] of [
    ['/', join(dir, SECOND)],
    ['/', SECOND],
    [join(dir, '..'), join('data', SECOND)],
  ] as const) {
    const { exitCode, stdout } = await tickhaul(['verify', path, '--json'], { env, cwd });
    assert.deepEqual([exitCode, stdout.includes('"missing":1')], [6, true], path);
  }
  const other = await tempDir(t);
  await mkdir(join(other, '.tickhaul'));
  await writeFile(join(other, '.tickhaul', 'manifest.jsonl'), '');
  const both = await run('verify', dir, other);
  assert.deepEqual([both.exitCode, both.stderr.split('\n').length], [2, 2], both.stderr);
  assert.match(both.stderr, /different download folders/);
});

test('repair, lock and merge ignore records with impossible paths, and create no file', async (t) => {
  const { dir, verify, run } = await downloadFolder(t);
  const manifest = join(dir, '.tickhaul', 'manifest.jsonl');
  const text = await readFile(manifest, 'utf8');
  const [line = ''] = text.split('\n');
  const odd = ['__proto__', 'a\u0007.csv.gz', '/tmp/x.csv.gz', 'constructor/x', `../${FIRST}`].map((path) =>
    JSON.stringify({ ...JSON.parse(line), path }),
  );
  const write = (): Promise<void> => writeFile(manifest, [...odd, text].join('\n'));
  const warning = /skipped 5 records with a path that no day file in this folder has/;
  await write();
  const { exitCode, warnings, summary } = await verify('--repair');
  assert.deepEqual([exitCode, summary.counts], [0, { verified: 4 }]);
  assert.match(warnings, warning);
  await write();
  const lock = await run('lock', '-o', '-');
  assert.match(lock.stderr, warning);
  assert.doesNotMatch(lock.stdout, /__proto__|u0007|tmp|constructor/);
  await write();
  const target = join(dir, '..', 'target');
  await mkdir(target);
  const merged = await run('manifest', 'merge', dir, '--dir', target);
  assert.match(merged.stderr, warning);
  assert.doesNotMatch(await readFile(join(target, '.tickhaul', 'manifest.jsonl'), 'utf8'), /__proto__|u0007/);
  assert.deepEqual(await listNames(dir), [FIRST, SECOND, THIRD, FOURTH]);
  assert.ok(!(await listNames(join(dir, '..'))).includes(FIRST));
});

test('no file is written through a link that leads out of the folder', async (t) => {
  const { dir, verify } = await downloadFolder(t, {}, ['--layout', 'hive']);
  const outside = await tempDir(t);
  await rename(join(dir, 'exchange=binance-futures'), join(outside, 'moved'));
  await symlink(join(outside, 'moved'), join(dir, 'exchange=binance-futures'));
  assert.equal((await verify()).summary.counts.verified, 4);
  const folder = 'exchange=binance-futures/data_type=trades/dataset_symbol=BTCUSDT/date=2024-03-01';
  await rm(join(dir, folder, FIRST));
  const { exitCode, bad, files } = await verify('--repair');
  assert.deepEqual([exitCode, bad], [6, [`missing ${folder}/${FIRST}`]]);
  assert.match(JSON.stringify(files), /a symbolic link on this path leads out of the download folder/);
  assert.deepEqual(await listNames(join(dir, folder)), []);
});

test('missing days between others are reported, and fail a strict run', async (t) => {
  const { dir, verify, run } = await downloadFolder(t);
  const later = ['-t', 'trades', '-s', 'BTCUSDT', '--date', '2024-03-08'];
  await succeeded(run('download', 'binance-futures', ...later));
  const { exitCode, bad, findings } = await verify('--quick');
  assert.deepEqual([exitCode, bad], [0, ['gap BTCUSDT']]);
  assert.deepEqual(findings[0]?.days?.map(formatDay), ['2024-03-05', '2024-03-06', '2024-03-07']);
  assert.equal((await verify('--quick', '--strict')).exitCode, 7);
  assert.deepEqual((await verify('--quick', FIRST, dayFileName('08'))).bad, ['gap BTCUSDT']);
  assert.deepEqual((await verify('--quick', FIRST, FOURTH)).bad, []);
  await rm(join(dir, FIRST));
  assert.equal((await verify('--quick', '--strict')).exitCode, 3);
});

test('a missing or disappearing folder is reported', async (t) => {
  const { dir, verify, run } = await downloadFolder(t);
  const { exitCode, stderr } = await run('verify', '--dir', join(dir, 'nowhere'));
  assert.deepEqual([exitCode, stderr.split('\n').length], [2, 2], stderr);
  await rename(join(dir, '.tickhaul'), join(dir, '..', 'kept'));
  await rm(dir, { recursive: true });
  await mkdir(dir);
  await rename(join(dir, '..', 'kept'), join(dir, '.tickhaul'));
  const gone = await verify();
  assert.deepEqual([gone.exitCode, gone.summary.counts.missing], [6, 4]);
});

test('files that another run adds or drops meanwhile are not bad', async (t) => {
  const { dir } = await downloadFolder(t);
  const manifest = await openFolderManifest(dir, { warn: assert.fail });
  const [first, second] = [manifest.get(FIRST), manifest.get(SECOND)];
  assert.ok(first && second);
  const bytes = NO_ROWS;
  const reported: string[] = [];
  const emit = (event: RunEvent): void => {
    if (event.event === 'file') reported.push(`${event.status} ${event.path}`);
    if (event.event !== 'plan') return;
    // This run has read the manifest, and no file yet.
    writeFileSync(join(dir, FIRST), bytes);
    rmSync(join(dir, SECOND));
    const records = [
      { ...first, ...verifyBytes(bytes) },
      { ...second, dropped: true as const },
    ];
    appendFileSync(join(dir, '.tickhaul', 'manifest.jsonl'), records.map(formatManifestLine).join(''));
  };
  const no = { quick: false, adopt: false, forget: false, clean: false, strict: false };
  const { signal } = new AbortController();
  const summary = await verifyFolder({
    destination: openFolderDestination(dir),
    paths: [],
    jobs: 1,
    ...no,
    owner: OWNER,
    emit,
    signal,
  });
  assert.equal(summary.exitCode, 0);
  const kept = [FIRST, THIRD, FOURTH].map((name) => `verified ${name}`);
  assert.deepEqual(reported.sort(), [`skipped ${SECOND}`, ...kept]);
});

test('an aborted check reports what was left', async (t) => {
  const { dir } = await downloadFolder(t);
  const controller = new AbortController();
  const no = { quick: false, adopt: false, forget: false, clean: false, strict: false };
  const emit = (event: RunEvent): void => {
    if (event.event === 'plan') controller.abort(new TickhaulError('interrupted', 'interrupted'));
  };
  const { signal } = controller;
  const summary = await verifyFolder({
    destination: openFolderDestination(dir),
    paths: [],
    jobs: 1,
    ...no,
    owner: OWNER,
    emit,
    signal,
  });
  assert.deepEqual([summary.exitCode, summary.unfinished], [130, 4]);
});
