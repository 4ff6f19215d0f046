import assert from 'node:assert/strict';
import { mkdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFolderDestination } from '../../../src/store/folder/folder-destination.js';
import { StateLog } from '../../../src/store/manifest/state-log.js';
import { tempDir } from '../../helpers/temp.js';

test('after a write that failed, the next one writes its lines too', async (t) => {
  const dir = await tempDir(t);
  const { signal } = new AbortController();
  const keyOf = (line: string): string | undefined => line || undefined;
  const log = await StateLog.open(openFolderDestination(dir), 'log.jsonl', keyOf, signal);
  const path = join(dir, '.tickhaul', 'log.jsonl');
  await log.add('a', 'a', signal);
  await mkdir(path, { recursive: true });
  await assert.rejects(log.write(signal), { code: 'disk' });
  await rmdir(path);
  await log.write(signal);
  assert.equal(await readFile(path, 'utf8'), 'a\n');
  await log.add('b', 'b', signal);
  await log.write(signal);
  assert.equal(await readFile(path, 'utf8'), 'a\nb\n');
});
