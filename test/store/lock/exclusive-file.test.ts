import assert from 'node:assert/strict';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { withExclusiveFile } from '../../../src/store/lock/exclusive-file.js';
import { tempDir } from '../../helpers/temp.js';

test('a leftover of a process that ended is replaced, also after the clock was set back', async (t) => {
  const dir = await tempDir(t);
  const path = join(dir, 'state.update');
  const write = () => withExclusiveFile(path, 10_000, (file) => file.writeFile('new').then(() => true));
  for (const [ageSeconds, result] of [
    [60, true],
    [-60, true],
    [0, undefined],
  ] as const) {
    await writeFile(path, 'left');
    const time = new Date(Date.now() - ageSeconds * 1000);
    await utimes(path, time, time);
    assert.equal(await write(), result, `${ageSeconds} s old`);
  }
  assert.equal(await readFile(path, 'utf8'), 'left');
  assert.deepEqual(await readdir(dir), ['state.update']);
});
