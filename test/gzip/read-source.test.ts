import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32, gzipSync } from 'node:zlib';
import { startGunzip } from '../../src/gzip/gunzip.js';
import { type GzipReadOptions, readGzip } from '../../src/gzip/read-source.js';
import { tempDir } from '../helpers/temp.js';

const hash = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

interface Read {
  readonly bytes: string;
  readonly text: string;
  readonly chunks: number;
}

/** Threads that inflate: zlib's own, none, one. */
const INFLATE_THREADS = [undefined, 0, 1];

async function read(path: string, inflateThreads?: number): Promise<Read> {
  const bytes = createHash('md5');
  const text = createHash('md5');
  let chunks = 0;
  const onText = (chunk: Buffer): void => {
    text.update(chunk);
    chunks++;
  };
  const onChunk = (chunk: Buffer): void => void bytes.update(chunk);
  const options = { hashes: ['md5'], onChunk, onText, textChunk: 256 * 1024, inflateThreads } as const;
  const { md5 } = await readGzip(path, options);
  assert.equal(bytes.digest('hex'), md5);
  return { bytes: md5, text: text.digest('hex'), chunks };
}

/** More than one chunk: 5 MB of gzip in two members, 8 MB of text. */
const HALF = Buffer.from(
  Array.from({ length: 700_000 }, (_, n) => `${(n * 7919.77) ** 2 % 1e9},\n`).join(''),
);
const MEMBER = gzipSync(HALF, { level: 1 });
const GOOD = Buffer.concat([MEMBER, MEMBER]);
const TEXT = hash(Buffer.concat([HALF, HALF]));

/** Two chunks of gzip. */
const SHORT = gzipSync(HALF.subarray(0, HALF.length / 3), { level: 1 });

/** A short file with one byte inverted, at a distance from its end. */
function brokenAt(back: number): Buffer {
  const bytes = Buffer.from(SHORT);
  const at = bytes.length - back;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
  return bytes;
}

test('reads a large file as a whole, each byte and each character once', async (t) => {
  const path = join(await tempDir(t), 'whole.csv.gz');
  await writeFile(path, GOOD);
  for (const inflateThreads of INFLATE_THREADS) {
    const { bytes, text, chunks } = await read(path, inflateThreads);
    assert.deepEqual({ bytes, text }, { bytes: hash(GOOD), text: TEXT });
    assert.ok(GOOD.length > 5_000_000 && chunks > 4);
  }
});

test('reads a small file', async (t) => {
  const path = join(await tempDir(t), 'small.csv.gz');
  const bytes = gzipSync('a,b\n');
  await writeFile(path, bytes);
  for (const inflateThreads of INFLATE_THREADS) {
    const expected = { bytes: hash(bytes), text: hash(Buffer.from('a,b\n')), chunks: 1 };
    assert.deepEqual(await read(path, inflateThreads), expected);
  }
});

test('reads a file of many small members', async (t) => {
  const path = join(await tempDir(t), 'members.csv.gz');
  const rows = Array.from({ length: 4000 }, (_, i) => (i % 3 === 0 ? `${i},row\n` : ''));
  const bytes = Buffer.concat([SHORT, ...rows.map((row) => gzipSync(row))]);
  await writeFile(path, bytes);
  const text = hash(Buffer.concat([HALF.subarray(0, HALF.length / 3), Buffer.from(rows.join(''))]));
  for (const inflateThreads of INFLATE_THREADS) {
    const found = await read(path, inflateThreads);
    assert.deepEqual([found.bytes, found.text], [hash(bytes), text]);
  }
});

test('reports the error of zlib for a damaged file', async (t) => {
  const path = join(await tempDir(t), 'broken.csv.gz');
  for (const [bytes, message] of [
    [GOOD.subarray(0, -1), `the gzip stream ends early after ${GOOD.length - 1} bytes`],
    [brokenAt(1), 'wrong length in the gzip trailer'],
    [brokenAt(5), 'wrong gzip checksum'],
    [Buffer.concat([SHORT, Buffer.alloc(3)]), `3 bytes after the last gzip member (byte ${SHORT.length})`],
    [Buffer.concat([SHORT, Buffer.from('more')]), 'bytes after the last gzip member'],
    [Buffer.alloc(1_500_000, 'a page '), 'not a gzip file: begins with "a page a page a"'],
  ] as const) {
    await writeFile(path, bytes);
    for (const inflateThreads of INFLATE_THREADS) {
      await assert.rejects(read(path, inflateThreads), { code: 'corrupt', message });
    }
  }
});

test('reads a file that the inflate kernel leaves to zlib, each byte and each character once', async (t) => {
  const path = join(await tempDir(t), 'checked-header.csv.gz');
  // A checksum of the header, in the second member.
  const header = Buffer.from([0x1f, 0x8b, 8, 2, 0, 0, 0, 0, 0, 3]);
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(crc32(header) & 0xffff);
  const bytes = Buffer.concat([MEMBER, header, checksum, MEMBER.subarray(10), MEMBER]);
  await writeFile(path, bytes);
  const expected = await read(path);
  assert.equal(expected.text, hash(Buffer.concat([HALF, HALF, HALF])));
  for (const inflateThreads of [0, 1]) {
    const { bytes, text } = await read(path, inflateThreads);
    assert.deepEqual({ bytes, text }, { bytes: expected.bytes, text: expected.text });
  }
});

test('a file that is replaced while it is read is reported as changed', async (t) => {
  const path = join(await tempDir(t), 'replaced.csv.gz');
  await writeFile(path, GOOD);
  const shorter = gzipSync(Buffer.from(HALF).reverse(), { level: 1 });
  const longer = Buffer.concat([shorter, GOOD]);
  for (const [inflateThreads, other] of [
    [0, longer],
    [0, shorter],
    [1, longer],
  ] as const) {
    let reads = 0;
    const options: GzipReadOptions = {
      // The first reading finds a truncated file, and zlib's then another one.
      read: async (_path, use) => {
        reads++;
        await use(reads === 1 ? GOOD.subarray(0, -1) : other);
      },
      onText: () => {},
      textChunk: 64 * 1024,
      inflateThreads,
    };
    await assert.rejects(readGzip(path, options), { code: 'changed' });
    assert.equal(reads, 2);
  }
});

test('an error of the reader of bytes is thrown after the reader of text has finished', async (t) => {
  const path = join(await tempDir(t), 'failing.csv.gz');
  await writeFile(path, GOOD);
  for (const inflateThreads of INFLATE_THREADS) {
    let running = 0;
    const options: GzipReadOptions = {
      onChunk: () => {
        throw new Error('no more bytes');
      },
      onText: async () => {
        running++;
        await new Promise((resolve) => setImmediate(resolve));
        running--;
      },
      textChunk: 64 * 1024,
      inflateThreads,
    };
    await assert.rejects(readGzip(path, options), /no more bytes/);
    assert.equal(running, 0);
  }
});

test('an abort ends the reading with its reason, however the file is inflated', async (t) => {
  const path = join(await tempDir(t), 'aborted.csv.gz');
  await writeFile(path, GOOD);
  for (const inflateThreads of INFLATE_THREADS) {
    const stop = new AbortController();
    const onText = (): void => stop.abort();
    const options = { onText, textChunk: 64 * 1024, inflateThreads, signal: stop.signal };
    await assert.rejects(readGzip(path, options), { code: 'interrupted' });
  }
});

test('reports an error that follows a text only after the reader has finished with that text', async () => {
  // zlib expects a second member and finds a single byte.
  const bytes = Buffer.concat([gzipSync('a,b\n'), Buffer.from('X')]);
  const rejected = async (onText: () => Promise<void>): Promise<void> => {
    const pass = startGunzip(onText);
    await assert.rejects(
      pass.write(bytes).then(() => pass.finish()),
      /ends early/,
    );
  };
  let letGo: () => void = () => {};
  const order: string[] = [];
  const first = rejected(
    () =>
      new Promise((resolve) => {
        letGo = resolve;
      }),
  ).then(() => order.push('reported'));
  // By then zlib has reached the end of both.
  await rejected(() => Promise.resolve());
  await rejected(() => Promise.resolve());
  order.push('done');
  letGo();
  await first;
  assert.deepEqual(order, ['done', 'reported']);
});
