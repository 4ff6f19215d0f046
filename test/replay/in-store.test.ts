import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { TickhaulError } from '../../src/base/errors.js';
import { Semaphore } from '../../src/base/semaphore.js';
import { writeLinesToFile } from '../../src/replay/file-output.js';
import { createChunkReader } from '../../src/replay/write-series-lines.js';
import type { RandomAccess } from '../../src/store/files.js';
import { type ObjectFiles, objectFiles } from '../helpers/memory-destination.js';

const { signal } = new AbortController();
const CHUNK = 1000;
/** Bytes of one range of an object. */
const RANGE = 4 * CHUNK;

function bytesOf(length: number, seed: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, at) => (at * 31 + seed) % 251));
}

/** Counts the requests in flight. */
function countRequests(files: ObjectFiles): ObjectFiles & { readonly most: () => number } {
  let open = 0;
  let most = 0;
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setImmediate(resolve));
    return work().finally(() => open--);
  };
  return {
    ...files,
    most: () => most,
    openRandom: async (location): Promise<RandomAccess> => {
      const found = await counted(() => files.openRandom(location));
      return { ...found, read: (position, length) => counted(() => found.read(position, length)) };
    },
  };
}

test('reads many objects in parallel in ranges, with few requests at a time', async () => {
  const objects = Array.from({ length: 20 }, (_, at) => bytesOf(at * 1500, at));
  const files = countRequests(objectFiles());
  for (const [at, bytes] of objects.entries()) files.bucket.write(String(at), bytes);
  const read = createChunkReader(new Semaphore(3), CHUNK, files);
  const found = await Promise.all(
    objects.map(async (_, at) => {
      const chunks: Buffer[] = [];
      await read(`s3://bucket/${at}`, async (chunk) => void chunks.push(Buffer.from(chunk)), signal);
      assert.ok(chunks.every(({ length }) => length <= RANGE));
      return Buffer.concat(chunks);
    }),
  );
  assert.deepEqual(found, objects);
  assert.equal(files.most(), 3);
  const ranges = objects.reduce((sum, { length }) => sum + Math.ceil(length / RANGE), 0);
  assert.equal(files.asked.filter((asked) => asked.startsWith('get ')).length, ranges);
});

test('requests one range ahead, and none after the reader has stopped', async () => {
  const files = objectFiles();
  files.bucket.write('large', bytesOf(100 * RANGE, 1));
  const read = createChunkReader(new Semaphore(3), CHUNK, files);
  let chunks = 0;
  const enough = new Error('enough');
  const reading = read(
    's3://bucket/large',
    async () => {
      const asked = files.asked.filter((request) => request.startsWith('get ')).length;
      assert.ok(asked <= chunks + 2, `${asked} ranges at the chunk ${chunks}`);
      if (++chunks === 5) throw enough;
    },
    signal,
  );
  await assert.rejects(reading, enough);
  assert.ok(files.asked.length <= 1 + 6, files.asked.join('\n'));
});

test('stops reading an object that is replaced', async () => {
  const files = objectFiles();
  files.bucket.write('a', bytesOf(10 * RANGE, 1));
  const read = createChunkReader(new Semaphore(3), CHUNK, files);
  const replace = async (): Promise<void> => void files.bucket.write('a', bytesOf(10 * RANGE, 2));
  await assert.rejects(read('s3://bucket/a', replace, signal), { code: 'changed' });
});

test('publishes lines in a store when they are complete, and nothing if writing them fails', async () => {
  const files = objectFiles();
  const line = Buffer.from('{"type":"trade"}\n');
  const whole = 's3://bucket/all.ndjson.gz';
  await writeLinesToFile(await files.openPart(whole), whole, async ({ write }) => {
    await write(line);
    assert.deepEqual(files.bucket.keys(), []);
    await write(line);
  });
  const made = files.bucket.bytes('all.ndjson.gz') ?? Buffer.alloc(0);
  assert.deepEqual(gunzipSync(made), Buffer.concat([line, line]));

  const broken = 's3://bucket/failed.ndjson';
  const failing = writeLinesToFile(await files.openPart(broken), broken, async ({ write }) => {
    await write(line);
    throw new TickhaulError('interrupted', 'interrupted');
  });
  await assert.rejects(failing, { code: 'interrupted' });
  assert.deepEqual(files.bucket.keys(), ['all.ndjson.gz']);
});
