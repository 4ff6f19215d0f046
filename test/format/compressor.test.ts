import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compressors } from 'hyparquet-compressors';
import { decompress as decompressLz4 } from 'lz4js';
import { type Compression, loadCompressor } from '../../src/format/compressor.js';

const DECOMPRESSORS = {
  zstd: compressors.ZSTD,
  snappy: compressors.SNAPPY,
  gzip: compressors.GZIP,
  lz4: decompressLz4,
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
