import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compress as compressOther } from 'lz4js';
import { loadLz4 } from '../../src/format/compressor.js';
import { decompressLz4 } from '../../src/format/decompress.js';

const compressOwn = (bytes: Uint8Array): Uint8Array => loadLz4()(bytes, 'fast');

/** Words repeat, near and far, so that matches overlap themselves and their beginnings. */
const texts = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(500)), { maxLength: 20 })
  .map((parts) => Buffer.concat(parts.flatMap(([part, times]) => Array<Uint8Array>(times).fill(part))));

test('decompresses frames of this and of another compressor', () => {
  fc.assert(
    fc.property(texts, (bytes) => {
      for (const compress of [compressOwn, compressOther])
        assert.ok(Buffer.from(decompressLz4(compress(bytes), bytes.length)).equals(bytes));
    }),
    { numRuns: 100 },
  );
});

test('decompresses blocks that refer to earlier ones, and skips sizes and checksums', () => {
  const bytes = new Uint8Array(9_000_000).map((_, i) => (i % 5000) >>> 3);
  assert.ok(Buffer.from(decompressLz4(compressOther(bytes), bytes.length)).equals(bytes));
  const literals = Buffer.from('abc');
  const block = Buffer.concat([Buffer.of(3, 0, 0, 0x80), literals]);
  // With the flags of checksums of blocks, the size of the content, and the identifier of a dictionary.
  const frame = Buffer.concat([
    Buffer.of(0x04, 0x22, 0x4d, 0x18, 0x79, 0x40),
    Buffer.alloc(8 + 4 + 1),
    block,
    Buffer.alloc(4),
    block,
    Buffer.alloc(4),
    Buffer.alloc(4),
  ]);
  assert.equal(Buffer.from(decompressLz4(frame, 6)).toString(), 'abcabc');
});

test('refuses damaged frames, and frames of another size', () => {
  const bytes = Buffer.from('a fine text, a fine text, and a fine text');
  const frame = compressOwn(bytes);
  for (let length = 0; length < frame.length; length++)
    assert.throws(
      () => decompressLz4(frame.subarray(0, length), bytes.length),
      RangeError,
      `${length} bytes`,
    );
  for (const size of [0, bytes.length - 1, bytes.length + 1])
    assert.throws(() => decompressLz4(frame, size), RangeError, `${size} bytes`);
  fc.assert(
    fc.property(fc.nat(frame.length - 1), fc.nat(255), (at, byte) => {
      const damaged = Uint8Array.from(frame);
      damaged[at] = byte;
      try {
        assert.equal(decompressLz4(damaged, bytes.length).length, bytes.length);
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
      }
    }),
  );
});
