import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Files } from '../../src/store/files.js';
import { createReadAhead } from '../../src/store/open-files.js';
import { objectFiles } from '../helpers/memory-destination.js';
import { tempDir } from '../helpers/temp.js';

const LIMITS = { rangeBytes: 1000, maxRanges: 3 };

async function readAll(files: Pick<Files, 'openRandom'>, path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await createReadAhead(files, LIMITS)(path, async (chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks);
}

test('reads files and objects of any size in order', async (t) => {
  const dir = await tempDir(t);
  const files = objectFiles();
  for (const bytes of [0, 1, 999, 1000, 1001, 3000, 12_345]) {
    const content = randomBytes(bytes);
    const path = join(dir, String(bytes));
    await writeFile(path, content);
    files.bucket.write(String(bytes), content);
    assert.deepEqual(await readAll(files, path), content);
    assert.deepEqual(await readAll(files, `s3://bucket/${bytes}`), content);
  }
});

test('requests a number of ranges ahead, which may arrive in any order', async () => {
  const content = randomBytes(10_000);
  const arrivals: (() => void)[] = [];
  let mostAhead = 0;
  let passed = 0;
  const files: Pick<Files, 'openRandom'> = {
    openRandom: async () => ({
      bytes: content.length,
      read: (position, length) => {
        mostAhead = Math.max(mostAhead, position / 1000 + 1 - passed);
        return new Promise((resolve) => {
          arrivals.push(() => resolve(content.subarray(position, position + length)));
          // The latest request is answered first.
          setImmediate(() => arrivals.pop()?.());
        });
      },
      close: async () => {},
    }),
  };
  const chunks: Buffer[] = [];
  await createReadAhead(files, LIMITS)('any', async (chunk) => {
    chunks.push(chunk);
    passed++;
  });
  assert.deepEqual(Buffer.concat(chunks), content);
  assert.equal(mostAhead, LIMITS.maxRanges);
});

test('an error of a range is thrown after the ranges before it, and ends the other requests', async () => {
  const content = randomBytes(5000);
  let signal: AbortSignal | undefined;
  let isClosed = false;
  const files: Pick<Files, 'openRandom'> = {
    openRandom: async (_path, given) => {
      signal = given;
      return {
        bytes: content.length,
        read: async (position, length) => {
          if (position === 1000) throw new Error('the object was replaced');
          return content.subarray(position, position + length);
        },
        close: async () => {
          isClosed = true;
        },
      };
    },
  };
  const chunks: Buffer[] = [];
  const reading = createReadAhead(files, LIMITS)('any', async (chunk) => void chunks.push(chunk));
  await assert.rejects(reading, /the object was replaced/);
  assert.deepEqual(Buffer.concat(chunks), content.subarray(0, 1000));
  assert.deepEqual([signal?.aborted, isClosed], [true, true]);
});
