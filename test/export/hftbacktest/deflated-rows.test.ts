import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeflatedRows } from '../../../src/export/hftbacktest/deflated-rows.js';
import { openSpillFile } from '../../../src/export/job-memory.js';
import { cleanUp } from '../../helpers/clean-up.js';

test('writes rows in their order, from memory and from the file', async (t) => {
  const spill = await openSpillFile();
  cleanUp(t, () => spill.close());
  const rows = new DeflatedRows(async () => spill, 5);
  // The fourth part would fit in memory, but follows one that does not.
  for (const part of [[1, 2], [3, 4], [5, 6, 7], [8], []]) await rows.add(Uint8Array.from(part));
  assert.equal(rows.bytes, 8);
  assert.equal(spill.bytes, 4);
  const written: number[] = [];
  await rows.writeTo({ write: async (bytes) => void written.push(...bytes) });
  assert.deepEqual(written, [1, 2, 3, 4, 5, 6, 7, 8]);
});

test('creates no file for rows that fit in memory', async () => {
  const rows = new DeflatedRows(() => assert.fail('a file was created'), 2);
  await rows.add(Uint8Array.of(1, 2));
  assert.equal(rows.bytes, 2);
});
