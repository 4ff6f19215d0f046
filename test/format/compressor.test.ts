import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compressors } from 'hyparquet-compressors';
import { compress as compressOther, decompress as decompressOther } from 'lz4js';
import { type Compression, loadCompressor, loadLz4 } from '../../src/format/compressor.js';
import { decompressLz4 } from '../../src/format/decompress.js';

const DECOMPRESSORS = {
  zstd: compressors.ZSTD,
  snappy: compressors.SNAPPY,
  gzip: compressors.GZIP,
  lz4: decompressOther,
};

/** Bytes with repetitions, near and far, and without. */
const bytes = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 100 }), fc.integer({ min: 1, max: 60 })), {
    minLength: 1,
    maxLength: 20,
  })
  .map((parts) =>
    Uint8Array.from(
      parts.flatMap(([part, times]) =>
        Array(times)
          .fill([...part])
          .flat(),
      ),
    ),
  );

for (const compression of ['zstd', 'snappy', 'gzip', 'lz4'] satisfies Compression[]) {
  test(`${compression}: decompressing returns the original bytes`, async () => {
    const compress = await loadCompressor(compression);
    const property = fc.property(bytes, fc.constantFrom('fast', 'small'), (original, effort) => {
      assert.deepEqual(decompressed(compression, compress(original, effort), original.length), original);
    });
    fc.assert(property, { numRuns: 100 });
  });

  test(`${compression}: compresses several blocks and incompressible data`, async () => {
    const compress = await loadCompressor(compression);
    const large = new Uint8Array(4_300_001).map((_, i) => (i % 1000 < 500 ? i >>> 8 : (i * i) >>> 3));
    let state = 1;
    const noise = Uint8Array.from({ length: 140_000 }, () => {
      state = Math.imul(state, 1_103_515_245) + 12_345;
      return state >>> 16;
    });
    for (const original of [large, noise, new Uint8Array(70_000), Uint8Array.of(7)]) {
      assert.deepEqual(decompressed(compression, compress(original, 'fast'), original.length), original);
    }
  });

  test(`${compression}: a compressor that is loaded twice still works`, async () => {
    const original = Uint8Array.from({ length: 5000 }, (_, i) => i % 7);
    const first = await loadCompressor(compression);
    const early = Uint8Array.from(first(original, 'fast'));
    await loadCompressor(compression);
    assert.deepEqual(Uint8Array.from(first(original, 'fast')), early);
    assert.ok(early.length < 300);
  });
}

function decompressed(
  compression: keyof typeof DECOMPRESSORS,
  compressed: Uint8Array,
  length: number,
): Uint8Array {
  const decompress = DECOMPRESSORS[compression];
  assert.ok(decompress);
  return Uint8Array.from(decompress(compressed, length) as Uint8Array);
}

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
