import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFolderManifest } from '../../../src/store/folder/folder-manifest.js';
import { formatManifestLine } from '../../../src/store/manifest/manifest-line.js';
import { createTestRecord, toTestPath } from '../manifest/records.js';
import { manifestFolder, paths } from './manifest-folder.js';

test('a partial last line is skipped with a warning, and the next record starts on a new line', async (t) => {
  const { warnings, open, writeRaw } = await manifestFolder(t);
  await writeRaw(
    formatManifestLine(createTestRecord('a')) + formatManifestLine(createTestRecord('b')).slice(0, 60),
  );
  const manifest = await open();
  assert.deepEqual(paths(manifest), ['a']);
  assert.match(warnings.join(), /manifest\.jsonl: skipped the last line, which is incomplete/);
  await manifest.append(createTestRecord('c'));
  await manifest.close();
  assert.deepEqual(paths(await open()), ['a', 'c']);
});

test('a partial line that another process left since the manifest was opened does not damage the next record', async (t) => {
  const { path, open } = await manifestFolder(t);
  const manifest = await open();
  await manifest.append(createTestRecord('a'));
  await appendFile(path, '{"exchange":"bin');
  await manifest.append(createTestRecord('b'));
  await manifest.close();
  assert.deepEqual(paths(await open()), ['a', 'b']);
});

test('damaged lines and paths outside the layouts are skipped, each kind with one warning', async (t) => {
  const { warnings, open, writeRaw } = await manifestFolder(t);
  const outside = ['/etc/passwd', '../x', 'a/../../x', 'a\\..\\x', 'C:/x', 'C:x', '/'].map(toTestPath);
  const own = ['.tickhaul/manifest.jsonl', '.TICKHAUL/lock', 'a/.tickhaul/x'].map(toTestPath);
  const other = [
    '__proto__',
    'constructor',
    '',
    'a.csv',
    'a.parquet',
    toTestPath('a\nb'),
    toTestPath('\u001b[2J'),
    toTestPath('\u007f'),
  ];
  await writeRaw(
    ['{', 'null', '[]', '\u0000\u0000'].map((line) => `${line}\n`).join('') +
      [...outside, ...own, ...other]
        .map((path) => formatManifestLine({ ...createTestRecord('x'), path }))
        .join('') +
      formatManifestLine(createTestRecord('good')),
  );
  const manifest = await open();
  assert.deepEqual(paths(manifest), ['good']);
  assert.equal(warnings.length, 2);
  assert.match(warnings[0] ?? '', /skipped 4 damaged lines, the first is line 1$/);
  assert.match(
    warnings[1] ?? '',
    /skipped 18 records with a path that no day file in this folder has, the first is line 5$/,
  );
});

test('a warning about paths outside is shown once, not at each opening', async (t) => {
  const { warnings, open, writeRaw } = await manifestFolder(t);
  await writeRaw([createTestRecord('../x'), createTestRecord('good')].map(formatManifestLine).join(''));
  await open();
  await open();
  assert.equal(warnings.length, 1);
});

test('reads lines longer than a chunk, and characters cut by one', async (t) => {
  const { open, writeRaw } = await manifestFolder(t);
  const names = ['é'.repeat(700_000), 'x', `€${'漢'.repeat(400_000)}`];
  await writeRaw(names.map((name) => formatManifestLine(createTestRecord(name))).join(''));
  assert.deepEqual(paths(await open()), names);
});

test('after kill -9 during appends, all acknowledged records are stored', async (t) => {
  const { open, startChild } = await manifestFolder(t);
  const child = startChild('k', 1_000_000);
  let reported = 0;
  child.stdout.on('data', (dots: Buffer) => {
    reported += dots.length;
    if (reported > 200) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const manifest = await open();
  assert.ok(reported > 200 && manifest.size >= reported, `${manifest.size} of ${reported}`);
  await manifest.append(createTestRecord('after'));
  await manifest.close();
  assert.notEqual((await open()).get(toTestPath('after')), undefined);
});

test('a manifest that cannot be opened is an error with its path', async (t) => {
  const { dir, open } = await manifestFolder(t);
  await writeFile(join(dir, '.tickhaul'), 'a file');
  await assert.rejects(open(), { code: 'disk', message: /manifest\.jsonl/ });
});

test('refuses a manifest that is, or becomes, a symbolic link', async (t) => {
  const { dir, path, open } = await manifestFolder(t);
  const elsewhere = join(dir, 'elsewhere');
  await writeFile(elsewhere, '');
  const refused = { code: 'disk', message: /manifest\.jsonl: is a symbolic link/ };
  const manifest = await open();
  await mkdir(join(dir, '.tickhaul'));
  await symlink(elsewhere, path);
  await assert.rejects(manifest.append(createTestRecord('a')), refused);
  await assert.rejects(open(), refused);
  assert.equal(await readFile(elsewhere, 'utf8'), '');
});

test('a download folder may be a symbolic link', async (t) => {
  const { dir } = await manifestFolder(t);
  const real = join(dir, 'real');
  await mkdir(real);
  await symlink(real, join(dir, 'linked'));
  const manifest = await openFolderManifest(join(dir, 'linked'), { warn: assert.fail });
  await manifest.append(createTestRecord('a'));
  await manifest.close();
  assert.deepEqual(paths(await openFolderManifest(real, { warn: assert.fail })), ['a']);
});

test('a failed append is reported, and the next one is attempted', async (t) => {
  const { dir, open } = await manifestFolder(t);
  const manifest = await open();
  await writeFile(join(dir, '.tickhaul'), 'a file');
  await assert.rejects(manifest.append(createTestRecord('a')), { code: 'disk', message: /manifest\.jsonl/ });
  await rm(join(dir, '.tickhaul'));
  await manifest.append(createTestRecord('b'));
  assert.deepEqual(paths(manifest), ['b']);
  await manifest.close();
});
