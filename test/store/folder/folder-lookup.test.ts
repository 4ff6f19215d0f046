import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFolderLookup } from '../../../src/store/folder/folder-destination.js';
import { tempDir } from '../../helpers/temp.js';

/** More than are looked up before the folder is listed. */
const MANY = 100;

test('finds no files where a file has the name of their folder', async (t) => {
  const dir = await tempDir(t);
  await writeFile(join(dir, 'a'), '');
  const survey = createFolderLookup(dir, true);
  for (let i = 0; i < MANY; i++) assert.equal(survey.has(`a/${i}`), false);
  assert.equal(survey.get('a/0'), undefined);
});
