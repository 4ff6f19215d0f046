import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { publish } from '../../src/integrity/publish.js';
import { partPath, readResumeNote, removeResumeNote, writeResumeNote } from '../../src/store/part.js';
import { isInside, prepareParent, resolveInside } from '../../src/store/paths.js';

let top = '';
let dir = '';
beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'tickhaul-files-'));
  dir = join(top, 'data');
});
afterEach(() => rm(top, { recursive: true, force: true }));

test('no path that is let through leaves the folder', () => {
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

test('the paths of day files are let through', () => {
  for (const path of ['a.csv.gz', 'binance/trades/x y/é.csv.gz', '..a/b..', 'exchange=x/symbol=BTC%2FUSD']) {
    assert.ok(isInside(path), path);
  }
});

test('the folders above a file are made', async () => {
  assert.equal(await prepareParent(dir, 'a/b/c.gz'), join(dir, 'a', 'b', 'c.gz'));
  assert.ok((await stat(join(dir, 'a', 'b'))).isDirectory());
});

test('a symbolic link is followed inside the folder, and refused where it leads out', async () => {
  await mkdir(join(dir, 'real'), { recursive: true });
  await mkdir(join(top, 'data-not'));
  await symlink(join(dir, 'real'), join(dir, 'in'));
  await symlink(join(top, 'data-not'), join(dir, 'out'));
  await prepareParent(dir, 'in/x/f.gz');
  assert.ok((await stat(join(dir, 'real', 'x'))).isDirectory());
  await assert.rejects(prepareParent(dir, 'out/x/f.gz'), { code: 'path_taken', message: /symbolic link/ });
  assert.deepEqual(await readdir(join(top, 'data-not')), []);
});

test('the download folder itself may be a symbolic link', async () => {
  await mkdir(join(top, 'disk'));
  await symlink(join(top, 'disk'), dir);
  await prepareParent(dir, 'a/f.gz');
  assert.deepEqual(await readdir(join(top, 'disk')), ['a']);
});

test('a file where a folder is needed concerns this path only', async () => {
  await mkdir(dir);
  await writeFile(join(dir, 'a'), '');
  await assert.rejects(prepareParent(dir, 'a/b/f.gz'), { code: 'path_taken' });
});

test('a part gets the final name, replaces what stood there, and its handle is closed', async () => {
  const final = join(top, 'f.gz');
  await writeFile(final, 'old');
  const handle = await open(partPath(final), 'w');
  await handle.writeFile('new');
  await publish(partPath(final), final, handle);
  assert.equal(await readFile(final, 'utf8'), 'new');
  assert.deepEqual(await readdir(top), ['f.gz']);
  assert.equal(handle.fd, -1);
});

test('a file with the same bytes stays when a part is published, and anything else is replaced', async () => {
  const final = join(top, 'f.gz');
  const sha256 = createHash('sha256').update('new').digest('hex');
  const publishNew = async (): Promise<number> => {
    const handle = await open(partPath(final), 'w');
    await handle.writeFile('new');
    const made = (await handle.stat()).ino;
    await publish(partPath(final), final, handle, sha256);
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

test('a part whose final name is a folder’s is reported so, and its handle is closed', async () => {
  const final = join(top, 'f.gz');
  await mkdir(final);
  const handle = await open(partPath(final), 'w');
  await assert.rejects(publish(partPath(final), final, handle), { code: 'path_taken' });
  assert.equal(handle.fd, -1);
});

test('part names stand beside the file, and a suffix makes them differ', () => {
  assert.equal(partPath('/d/f.gz'), '/d/f.gz.part');
  assert.equal(partPath('/d/f.gz', '17'), '/d/f.gz.17.part');
});

test('a resume note is read back, by path, until it is removed', async () => {
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
  test(`a damaged resume note is none: ${text}`, async () => {
    await writeResumeNote(dir, 'a', { etag: '"x"', total: 7 });
    const [name = ''] = await readdir(join(dir, '.tickhaul', 'parts'));
    await writeFile(join(dir, '.tickhaul', 'parts', name), text);
    assert.equal(await readResumeNote(dir, 'a'), undefined);
  });
}
