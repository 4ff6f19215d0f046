import assert from 'node:assert/strict';
import { rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Semaphore } from '../../src/base/semaphore.js';
import { createChunkReader } from '../../src/replay/write-series-lines.js';
import { openFiles } from '../../src/store/open-files.js';
import { tempDir } from '../helpers/temp.js';

const CHUNK = 1000;
const OLD = Buffer.from(Array.from({ length: 5500 }, (_, i) => i % 251));

/** Reads a file that another one replaces after a number of chunks. */
async function readWhileReplaced(t: TestContext, behind: number, by: Buffer): Promise<Buffer> {
  const path = join(await tempDir(t), 'a.csv.gz');
  await writeFile(path, OLD);
  const { ino } = await stat(path);
  const chunks: Buffer[] = [];
  const read = createChunkReader(new Semaphore(1), CHUNK, openFiles(undefined));
  await read(path, async (chunk) => {
    chunks.push(Buffer.from(chunk));
    if (chunks.length !== behind) return;
    await writeFile(`${path}.part`, by);
    await rename(`${path}.part`, path);
    assert.notEqual((await stat(path)).ino, ino);
  });
  return Buffer.concat(chunks);
}

test('reads a file to its end that an equal one replaces', async (t) => {
  for (const behind of [1, 3, 6]) assert.ok(OLD.equals(await readWhileReplaced(t, behind, OLD)));
});

test('continues with a replacement that begins with the bytes read so far', async (t) => {
  for (const end of [Buffer.alloc(0), Buffer.alloc(10_000, 1)]) {
    const other = Buffer.concat([OLD.subarray(0, 3 * CHUNK), end]);
    assert.ok(other.equals(await readWhileReplaced(t, 3, other)));
  }
});

test('refuses a replacement that begins with other bytes', async (t) => {
  const others = [Buffer.from(OLD), OLD.subarray(0, 3 * CHUNK - 1), Buffer.alloc(0)];
  others[0]?.writeUInt8(255, 0);
  for (const other of others) {
    await assert.rejects(readWhileReplaced(t, 3, other), {
      code: 'changed',
      message: /a\.csv\.gz: replaced during the run; run the same command again$/,
    });
  }
});
