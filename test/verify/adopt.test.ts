import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { copyFile, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openFolderDestination } from '../../src/store/folder/folder-destination.js';
import { succeeded } from '../helpers/cli.js';
import { tradesOf } from '../helpers/selection.js';
import { dayFileName, downloadFolder, FIRST, NO_ROWS, SELECTION, verifyHere } from './helpers.js';

test('files of a layout whose names identify nothing are recorded by their download, which requests none', async (t) => {
  const layout = ['--layout', '{exchange}/{type}/{symbol}/{date}'];
  const { dir, verify, run, service } = await downloadFolder(t, {}, layout);
  await rm(join(dir, '.tickhaul', 'manifest.jsonl'));
  const { findings } = await verify('--adopt');
  assert.match(
    findings[0]?.message ?? '',
    /does not identify its day file; tickhaul download with the right/,
  );
  const asked = service.requests.filter(({ host }) => host === 'datasets').length;
  assert.match((await run('download', ...SELECTION, ...layout)).stderr, /4 verified/);
  assert.equal(service.requests.filter(({ host }) => host === 'datasets').length, asked);
  assert.equal((await verify()).summary.counts.verified, 4);
});

test('files that the manifest lacks are reported, and adopted if they are valid', async (t) => {
  const { dir, verify } = await downloadFolder(t);
  await copyFile(join(dir, FIRST), join(dir, 'mine.csv.gz'));
  await writeFile(join(dir, dayFileName('01', 'ETHUSDT')), NO_ROWS);
  await writeFile(join(dir, dayFileName('02', 'ETHUSDT')), 'no gzip');
  await writeFile(join(dir, 'notes.txt'), 'mine');
  await symlink('.', join(dir, 'circle'));
  const unknown = [`unknown ${dayFileName('01', 'ETHUSDT')}`, `unknown ${dayFileName('02', 'ETHUSDT')}`];
  assert.deepEqual((await verify()).bad, [...unknown, 'unknown mine.csv.gz']);
  const adopting = await verify('--adopt', '--quick');
  assert.deepEqual(adopting.bad, [`corrupt ${dayFileName('02', 'ETHUSDT')}`, 'unknown mine.csv.gz']);
  assert.equal(adopting.exitCode, 6);
  assert.equal((await verify()).summary.counts.verified, 5);
});

test('a valid gzip file that does not start like a day file is not adopted, with the reason', async (t) => {
  const { dir, verify, run } = await downloadFolder(t);
  const day = gunzipSync(await readFile(join(dir, FIRST))).toString();
  const [header = '', row = ''] = day.split('\n');
  const wrong: readonly (readonly [text: string | Buffer, message: RegExp])[] = [
    [Buffer.alloc(5000), /line 1, .*no header/],
    [Buffer.alloc(3_000_000), /line 1, the line is longer than/],
    [Buffer.from(`\ufeff${day}`, 'utf16le'), /line 1, .*no header/],
    ['time;price\n1;2\n', /line 1, no header: the line begins with/],
    [header.slice(0, 20), /column .*missing in the header of trades|no header/],
    [day.replace('local_timestamp', 'received'), /column local_timestamp: missing in the header of trades/],
    [`${header}\n${row.replace(/,\d{16}/, ',yesterday')}\n`, /line 2, column timestamp: "yesterday"/],
    [`${header}\n${row},more`, /line 2, .*more cells/],
  ];
  const path = dayFileName('05');
  for (const [text, message] of wrong) {
    for (const level of [9, 0]) {
      await writeFile(join(dir, path), gzipSync(text, { level }));
      const { bad, exitCode, files } = await verify('--adopt');
      assert.deepEqual([bad, exitCode], [[`corrupt ${path}`], 6]);
      const { error } = files.find((file) => file.path === path) ?? {};
      assert.match(error?.message ?? '', message);
      assert.ok(error?.message.includes(path));
    }
  }
  // Days without rows.
  for (const text of ['', header, `${header}\n`]) {
    await writeFile(join(dir, path), gzipSync(text));
    assert.deepEqual((await verify('--adopt')).bad, []);
    assert.deepEqual((await verify('--forget')).bad, []);
    await rm(join(dir, path));
    await verify('--forget');
  }
  // A download reads an existing file as well, and replaces it with the right one.
  await writeFile(join(dir, path), gzipSync(Buffer.alloc(5000)));
  const { stderr } = await succeeded(run('download', ...tradesOf('2024-03-05', '2024-03-06')));
  assert.match(stderr, /warning .*line 1, no header/);
  assert.match(stderr, /1 downloaded/);
  assert.equal(
    gunzipSync(await readFile(join(dir, path)))
      .toString()
      .split('\n')[0],
    header,
  );
});

test('a file whose name no record can have is reported, and not adopted', {
  skip: sep === '\\' && 'a folder, here',
}, async (t) => {
  const { dir, verify } = await downloadFolder(t);
  const name = dayFileName('01', 'A\\B');
  await copyFile(join(dir, FIRST), join(dir, name));
  for (const _ of ['first', 'again']) {
    const { bad, warnings, findings } = await verify('--adopt');
    assert.deepEqual([bad, warnings.trim()], [[`unknown ${name}`], '']);
    assert.match(findings[0]?.message ?? '', /and its name cannot be recorded$/);
  }
});

test('a lost or damaged manifest is rebuilt from the files, and nothing is downloaded again', async (t) => {
  const { dir, verify, run, service } = await downloadFolder(t);
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

test('a manifest that cannot be written ends the adoption of many files with code 8', async (t) => {
  const { dir, service } = await downloadFolder(t);
  const manifest = join(dir, '.tickhaul', 'manifest.jsonl');
  await rm(manifest);
  for (let n = 0; n < 60; n++) await writeFile(join(dir, dayFileName('01', `S${n}`)), NO_ROWS);
  const { summary } = await verifyHere(
    service,
    openFolderDestination(dir),
    ['--adopt'],
    undefined,
    // The manifest has been read then.
    ({ event }) => event === 'plan' && mkdirSync(manifest),
  );
  assert.equal(summary.exitCode, 8);
  assert.match(summary.error?.message ?? '', /manifest\.jsonl: a folder has the name of this file/);
});
