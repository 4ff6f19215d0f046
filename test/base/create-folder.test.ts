import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFolder } from '../../src/base/create-folder.js';
import { tempDir } from '../helpers/temp.js';

test('folders are made from the first missing one down, by many at once, and again', async (t) => {
  const dir = join(await tempDir(t), 'a', 'b', 'c');
  await Promise.all(Array.from({ length: 20 }, () => createFolder(dir)));
  await createFolder(dir);
  assert.ok((await stat(dir)).isDirectory());
});

test('a file on the way is an error', async (t) => {
  const file = join(await tempDir(t), 'file');
  await writeFile(file, '');
  await assert.rejects(createFolder(join(file, 'a')), { code: 'ENOTDIR' });
});

test('where nothing can be made, it is an error and not an endless search', async (t) => {
  if (!existsSync('/proc/self')) return t.skip('no /proc here');
  await assert.rejects(createFolder('/proc/tickhaul/a'), { code: 'ENOENT' });
});
