import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { publishPart } from '../../src/store/folder/folder-day-part.js';
import { localFiles } from '../../src/store/folder/local-files.js';
import { partPath, readResumeNote, removeResumeNote, writeResumeNote } from '../../src/store/part-path.js';
import { createParentFolder, isInside, resolveInside } from '../../src/store/paths.js';
import { tempDir } from '../helpers/temp.js';

/** A folder, and the path of a download folder in it that does not exist yet. */
async function setUp(t: TestContext): Promise<{ readonly top: string; readonly dir: string }> {
  const top = await tempDir(t);
  return { top, dir: join(top, 'data') };
}

test('accepted paths never lead out of the folder', () => {
  const part = fc.oneof(
    fc.constantFrom('..', '.', '', '/', '\\', 'C:', 'a', '...', '\0'),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.constantFrom('/', '\\', ''), (parts, glue) => {
      const relPath = parts.join(glue);
      if (isInside(relPath)) assert.ok(resolveInside('/data', relPath).startsWith(`${sep}data${sep}`));
      else assert.throws(() => resolveInside('/data', relPath), { code: 'usage' });
    }),
  );
});

test('accepts the paths of day files', () => {
  for (const path of ['a.csv.gz', 'binance/trades/x y/é.csv.gz', '..a/b..', 'exchange=x/symbol=BTC%2FUSD']) {
    assert.ok(isInside(path), path);
  }
});

test('creates the parent folders of a file', async (t) => {
  const { dir } = await setUp(t);
  assert.equal(await createParentFolder(dir, 'a/b/c.gz'), join(dir, 'a', 'b', 'c.gz'));
  assert.ok((await stat(join(dir, 'a', 'b'))).isDirectory());
});

test('follows a symbolic link inside the folder, and refuses one that leads out', async (t) => {
  const { top, dir } = await setUp(t);
  await mkdir(join(dir, 'real'), { recursive: true });
  await mkdir(join(top, 'data-not'));
  await symlink(join(dir, 'real'), join(dir, 'in'));
  await symlink(join(top, 'data-not'), join(dir, 'out'));
  await createParentFolder(dir, 'in/x/f.gz');
  assert.ok((await stat(join(dir, 'real', 'x'))).isDirectory());
  await assert.rejects(createParentFolder(dir, 'out/x/f.gz'), {
    code: 'path_taken',
    message: /symbolic link/,
  });
  assert.deepEqual(await readdir(join(top, 'data-not')), []);
});

test('the download folder may be a symbolic link', async (t) => {
  const { top, dir } = await setUp(t);
  await mkdir(join(top, 'disk'));
  await symlink(join(top, 'disk'), dir);
  await createParentFolder(dir, 'a/f.gz');
  assert.deepEqual(await readdir(join(top, 'disk')), ['a']);
});

test('a file with the name of a parent folder affects only this path', async (t) => {
  const { dir } = await setUp(t);
  await mkdir(dir);
  await writeFile(join(dir, 'a'), '');
  await assert.rejects(createParentFolder(dir, 'a/b/f.gz'), { code: 'path_taken' });
});

test('publishing a part gives it the final name, replaces the old file, and closes the handle', async (t) => {
  const { top } = await setUp(t);
  const final = join(top, 'f.gz');
  await writeFile(final, 'old');
  const handle = await open(partPath(final), 'w');
  await handle.writeFile('new');
  await publishPart(partPath(final), final, handle, '');
  assert.equal(await readFile(final, 'utf8'), 'new');
  assert.deepEqual(await readdir(top), ['f.gz']);
  assert.equal(handle.fd, -1);
});

test('publishing keeps a file with the same bytes, and replaces any other', async (t) => {
  const { top } = await setUp(t);
  const final = join(top, 'f.gz');
  const sha256 = createHash('sha256').update('new').digest('hex');
  const publishNew = async (): Promise<number> => {
    const handle = await open(partPath(final), 'w');
    await handle.writeFile('new');
    const made = (await handle.stat()).ino;
    await publishPart(partPath(final), final, handle, sha256);
    assert.equal(handle.fd, -1);
    assert.equal(await readFile(final, 'utf8'), 'new');
    return made;
  };
  await writeFile(final, 'new');
  const { ino } = await lstat(final);
  await publishNew();
  assert.equal((await lstat(final)).ino, ino);
  await writeFile(final, 'old');
  assert.equal(await publishNew(), (await lstat(final)).ino);
  await writeFile(join(top, 'elsewhere'), 'new');
  await rm(final);
  await symlink(join(top, 'elsewhere'), final);
  assert.equal(await publishNew(), (await lstat(final)).ino);
  assert.deepEqual((await readdir(top)).sort(), ['elsewhere', 'f.gz']);
});

test('publishing fails and closes the handle if the final path is a folder', async (t) => {
  const { top } = await setUp(t);
  const final = join(top, 'f.gz');
  await mkdir(final);
  const handle = await open(partPath(final), 'w');
  await assert.rejects(publishPart(partPath(final), final, handle, ''), { code: 'path_taken' });
  assert.equal(handle.fd, -1);
});

test('reading a folder as a file is an error of its path', async (t) => {
  const { top } = await setUp(t);
  const { read, close } = await localFiles.openRandom(top);
  await assert.rejects(read(0, 10), { code: 'path_taken', message: new RegExp(`^${top}: a folder`) });
  await close();
});

test('part paths lie beside the file, and differ by suffix', () => {
  assert.equal(partPath('/d/f.gz'), '/d/f.gz.part');
  assert.equal(partPath('/d/f.gz', '17'), '/d/f.gz.17.part');
});

test('a resume note can be read, by path, until it is removed', async (t) => {
  const { dir } = await setUp(t);
  assert.equal(await readResumeNote(dir, 'a/b'), undefined);
  await writeResumeNote(dir, 'a/b', { etag: '"x"', total: 7 });
  await writeResumeNote(dir, 'a/b', { etag: '"y"', total: 8 });
  assert.deepEqual(await readResumeNote(dir, 'a/b'), { etag: '"y"', total: 8 });
  assert.equal(await readResumeNote(dir, 'a/c'), undefined);
  assert.equal((await readdir(join(dir, '.tickhaul', 'parts'))).length, 1);
  await removeResumeNote(dir, 'a/b');
  await removeResumeNote(dir, 'a/b');
  assert.deepEqual(await readdir(join(dir, '.tickhaul', 'parts')), []);
});

for (const text of [
  '',
  '{',
  'null',
  '{"etag":1,"total":2}',
  '{"etag":"","total":2}',
  '{"etag":"x","total":1.5}',
]) {
  test(`ignores a damaged resume note: ${text}`, async (t) => {
    const { dir } = await setUp(t);
    await writeResumeNote(dir, 'a', { etag: '"x"', total: 7 });
    const [name = ''] = await readdir(join(dir, '.tickhaul', 'parts'));
    await writeFile(join(dir, '.tickhaul', 'parts', name), text);
    assert.equal(await readResumeNote(dir, 'a'), undefined);
  });
}
