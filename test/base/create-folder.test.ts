import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFolder, writeWhole } from '../../src/base/disk-files.js';
import { tempDir } from '../helpers/temp.js';

test('creates all missing parent folders, also concurrently and repeatedly', async (t) => {
  const dir = join(await tempDir(t), 'a', 'b', 'c');
  await Promise.all(Array.from({ length: 20 }, () => createFolder(dir)));
  await createFolder(dir);
  assert.ok((await stat(dir)).isDirectory());
});

test('fails if a file has the name of a parent folder', async (t) => {
  const file = join(await tempDir(t), 'file');
  await writeFile(file, '');
  await assert.rejects(createFolder(join(file, 'a')), { code: 'ENOTDIR' });
});

test('fails, and does not search forever, where no folder can be created', async (t) => {
  if (!existsSync('/proc/self')) return t.skip('no /proc here');
  await assert.rejects(createFolder('/proc/tickhaul/a'), { code: 'ENOENT' });
});

test('a file below a file, or with a name that is too long, is an error of its path', async (t) => {
  const dir = await tempDir(t);
  await writeFile(join(dir, 'file'), '');
  for (const path of [join(dir, 'file', 'a'), join(dir, 'a'.repeat(300))])
    await assert.rejects(writeWhole(path, ['text']), {
      code: 'path_taken',
      message: /\/(?:file\/a|a{300}): /,
    });
});
