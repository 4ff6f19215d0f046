import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFolderLookup } from '../../../src/store/folder/folder-lookup.js';
import { tempDir } from '../../helpers/temp.js';

/** More than are looked up before the folder is listed. */
const MANY = 100;

test('a lookup finds existing files, for few or many paths, grouped by folder or not', async (t) => {
  const dir = await tempDir(t);
  for (const folder of ['a', 'b']) await mkdir(join(dir, folder));
  for (const path of ['0', 'a/0', 'a/99', 'b/7']) await writeFile(join(dir, path), path);
  for (const inTurn of [true, false]) {
    const survey = createFolderLookup(dir, inTurn);
    const found: string[] = [];
    for (let i = 0; i < MANY; i++)
      for (const path of [`${i}`, `a/${i}`, `b/${i}`, `none/${i}`]) if (survey.has(path)) found.push(path);
    assert.deepEqual(found, ['0', 'a/0', 'b/7', 'a/99']);
    assert.deepEqual([survey.get('a/99'), survey.get('a/98')], [{ bytes: 4 }, undefined]);
  }
});

test('finds no files where a file has the name of their folder', async (t) => {
  const dir = await tempDir(t);
  await writeFile(join(dir, 'a'), '');
  const survey = createFolderLookup(dir, true);
  for (let i = 0; i < MANY; i++) assert.equal(survey.has(`a/${i}`), false);
  assert.equal(survey.get('a/0'), undefined);
});
