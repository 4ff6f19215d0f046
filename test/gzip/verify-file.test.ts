import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { TickhaulError } from '../../src/base/errors.js';
import {
  type FileChecksums,
  startVerification,
  type VerificationOptions,
  verifyBytes,
  verifyFile,
} from '../../src/gzip/verify-file.js';
import { rounds } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';
import { walkGzip } from './gzip-walker.js';

async function verifyChunks(chunks: Iterable<Buffer>, options?: VerificationOptions): Promise<FileChecksums> {
  const pass = startVerification(options);
  try {
    for (const chunk of chunks) await pass.write(chunk);
    return await pass.finish();
  } finally {
    pass.destroy();
  }
}

/** Undefined if the bytes are corrupt. */
function inOnePiece(bytes: Buffer): FileChecksums | undefined {
  try {
    return verifyBytes(bytes);
  } catch (error) {
    assert.ok(error instanceof TickhaulError, String(error));
    assert.equal(error.code, 'corrupt');
    return undefined;
  }
}

/** Cuts the bytes into pieces of the given sizes, repeated cyclically. */
function* cut(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

function countRows(text: Buffer): number {
  const lines = text.toString('latin1').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return Math.max(0, lines.length - 1);
}

function expected(bytes: Buffer): FileChecksums | undefined {
  const text = walkGzip(bytes);
  const hash = (name: string): string => createHash(name).update(bytes).digest('hex');
  return text && { bytes: bytes.length, md5: hash('md5'), sha256: hash('sha256'), rows: countRows(text) };
}

const member = fc
  .array(fc.constantFrom('a,b\n', '1,2\n', 'x', '\n', '0123456789,'), { maxLength: 40 })
  .chain((parts) => fc.constantFrom(0, 1, 9).map((level) => gzipSync(parts.join(''), { level })));
const garbage = fc.oneof(
  { weight: 4, arbitrary: fc.constant(Buffer.alloc(0)) },
  fc.integer({ min: 1, max: 20 }).map((n) => Buffer.alloc(n)),
  fc
    .constantFrom('1f', '1f8b', '1f8b08', '1f8b0800000000000003', '00', '001f8b08', '3c')
    .map((h) => Buffer.from(h, 'hex')),
  fc.uint8Array({ minLength: 1, maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
  member.map((bytes) => Buffer.concat([Buffer.alloc(3), bytes])),
);
const sizes = fc.oneof(
  fc.constant([1]),
  fc.constant([1 << 20]),
  fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
);
const damage = fc.oneof(
  { weight: 2, arbitrary: fc.constant((bytes: Buffer) => bytes) },
  fc
    .double({ min: 0, max: 1, noNaN: true })
    .map((share) => (bytes: Buffer) => bytes.subarray(0, Math.floor(share * bytes.length))),
  fc.tuple(fc.nat(), fc.nat(7)).map(([at, bit]) => (bytes: Buffer) => {
    const copy = Buffer.from(bytes);
    const index = at % Math.max(1, copy.length);
    if (copy.length > 0) copy[index] = (copy[index] ?? 0) ^ (1 << bit);
    return copy;
  }),
);

test('accepts a stream exactly if it consists of complete members, however it is cut', async () => {
  const stream = fc.tuple(fc.array(member, { maxLength: 3 }), garbage, damage);
  await fc.assert(
    fc.asyncProperty(stream, sizes, async ([members, rest, hurt], steps) => {
      const bytes = hurt(Buffer.concat([...members, rest]));
      const want = expected(bytes);
      const got = await verifyChunks(cut(bytes, steps)).catch((error: unknown) => {
        assert.ok(error instanceof TickhaulError, String(error));
        assert.equal(error.code, 'corrupt');
        return undefined;
      });
      assert.deepEqual(got, want);
      assert.deepEqual(inOnePiece(bytes), want);
    }),
    { numRuns: rounds(600) },
  );
});

test('finds garbage at the start of a chunk, and a second member there', async () => {
  const whole = gzipSync('a\n1\n');
  for (const rest of ['00', '0000', '1f', '1f8b', '41', '00001f8b']) {
    await assert.rejects(verifyChunks([whole, Buffer.from(rest, 'hex')]), { code: 'corrupt' }, rest);
  }
  assert.equal((await verifyChunks([whole, whole])).rows, 3);
});

const csv = Buffer.from(`a,b\n${'1,2\n'.repeat(1000)}`);
const gz = gzipSync(csv);
const changed = (at: number): Buffer => {
  const copy = Buffer.from(gz);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
};
const FINDINGS: readonly [string, Buffer, string | RegExp][] = [
  ['a cut stream', gz.subarray(0, -3), `the gzip stream ends early after ${gz.length - 3} bytes`],
  ['one byte', gz.subarray(0, 1), 'the gzip stream ends early after 1 byte'],
  ['a wrong checksum', changed(gz.length - 6), 'wrong gzip checksum'],
  ['a wrong length', changed(gz.length - 2), 'wrong length in the gzip trailer'],
  [
    'zeros behind it',
    Buffer.concat([gz, Buffer.alloc(7)]),
    `7 bytes after the last gzip member (byte ${gz.length})`,
  ],
  ['text behind it', Buffer.concat([gz, Buffer.from('hello')]), /^bytes after the last gzip member$/],
  ['a page', Buffer.from('<!DOCTYPE html><html>'), 'not a gzip file: begins with "<!DOCTYPE html><"'],
  ['a page of one byte', Buffer.from('<'), 'not a gzip file: begins with "<"'],
  ['binary', Buffer.from([0, 1, 2, 65]), /^not a gzip file: begins with "\.A"$/],
  ['nothing', Buffer.alloc(0), 'empty body'],
];
for (const [name, bytes, message] of FINDINGS) {
  test(`the error describes the damage: ${name}`, async () => {
    await assert.rejects(verifyChunks([bytes]), { code: 'corrupt', message });
    assert.throws(() => verifyBytes(bytes), { code: 'corrupt', message });
  });
}

for (const [text, rows] of [
  ['', 0],
  ['a,b', 0],
  ['a,b\n', 0],
  ['a,b\n1', 1],
  ['a,b\n1\n', 1],
  ['\n\n', 1],
] as const) {
  test(`${JSON.stringify(text)} has ${rows} rows`, async () => {
    assert.equal((await verifyChunks([gzipSync(text)])).rows, rows);
  });
}

test('a slow reader of the text gets all of it, in order, and holds back the pass', async () => {
  const text = Buffer.from(Array.from({ length: 300_000 }, (_, n) => `${n}\n`).join(''));
  const parts: Buffer[] = [];
  let busy = 0;
  const checksums = await verifyChunks(cut(gzipSync(text), [10_000]), {
    async onText(chunk) {
      assert.equal(busy++, 0);
      await new Promise(setImmediate);
      parts.push(Buffer.from(chunk));
      busy--;
    },
  });
  assert.ok(parts.length > 3);
  assert.ok(Buffer.concat(parts).equals(text));
  assert.equal(checksums.rows, 299_999);
});

test('an error of the text reader ends the pass with that error', async () => {
  const late = verifyChunks([gz], { onText: () => Promise.reject(new Error('full')) });
  await assert.rejects(late, /full/);
  const now = verifyChunks([gz], {
    onText: () => {
      throw new Error('full');
    },
  });
  await assert.rejects(now, /full/);
});

test('destroying a pass rejects pending calls, and later calls do no harm', async () => {
  const pass = startVerification();
  const waiting = pass.write(gzipSync(Buffer.alloc(1 << 22)));
  pass.destroy();
  pass.destroy();
  await assert.rejects(waiting, { code: 'interrupted' });
  await assert.rejects(pass.write(gz), { code: 'interrupted' });
  await assert.rejects(pass.finish(), { code: 'interrupted' });
});

test('verifies a file on disk in chunks', async (t) => {
  const path = join(await tempDir(t), 'big.csv.gz');
  const text = Buffer.from(Array.from({ length: 400_000 }, (_, n) => `${n * 7919},${n}\n`).join(''));
  const bytes = gzipSync(text, { level: 0 });
  await writeFile(path, bytes);
  assert.deepEqual(await verifyFile(path), {
    bytes: bytes.length,
    md5: createHash('md5').update(bytes).digest('hex'),
    sha256: createHash('sha256').update(bytes).digest('hex'),
    rows: 399_999,
  });
});

test('a missing file, or a folder, is an error with its path', async (t) => {
  const dir = await tempDir(t);
  await assert.rejects(verifyFile(join(dir, 'none.gz')), { code: 'disk', message: /none\.gz/ });
  await assert.rejects(verifyFile(dir), { code: 'path_taken' });
});

test('an aborted check of a file ends with the abort reason', async (t) => {
  const path = join(await tempDir(t), 'small.csv.gz');
  await writeFile(path, gz);
  const reason = new TickhaulError('terminated', 'SIGTERM');
  await assert.rejects(verifyFile(path, { signal: AbortSignal.abort(reason) }), { code: 'terminated' });
});

test('leaves a text that is too large for memory to the stream', () => {
  assert.equal(verifyBytes(gzipSync(Buffer.alloc(65_000_000))), undefined);
});
