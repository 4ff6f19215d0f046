import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { Inflater } from '../../src/gzip/inflate/inflate-pass.js';
import { computeMemoryCrc } from '../../src/gzip/inflate/inflated-text.js';

const MAX_BYTES = 100_000;
const { module, bytes, textAddress } = new Inflater(2 * MAX_BYTES);

test('the checksum of text anywhere in memory is that of zlib', () => {
  const property = fc.property(
    fc.nat(MAX_BYTES),
    fc.nat(100),
    fc.nat(0xffffffff),
    fc.nat(0xffffffff),
    (length, offset, before, seed) => {
      const from = textAddress + offset;
      fillRandomly(bytes.subarray(textAddress, from + length + 100), seed);
      const text = Buffer.from(bytes.subarray(from, from + length));
      assert.equal(computeMemoryCrc(module, bytes, from, from + length, before), crc32(text, before));
      assert.ok(text.equals(bytes.subarray(from, from + length)));
    },
  );
  fc.assert(property, {
    numRuns: 500,
    examples: [16_383, 16_384, 16_385].map((length) => [length, 0, 0, 1]),
  });
});

test('the checksum of parts is that of the whole text', () => {
  const text = bytes.subarray(textAddress, textAddress + MAX_BYTES);
  fillRandomly(text, 1);
  for (const part of [16_384, 20_000, 33_333]) {
    let crc = 0;
    for (let at = 0; at < MAX_BYTES; at += part) {
      const end = Math.min(at + part, MAX_BYTES);
      crc = computeMemoryCrc(module, bytes, textAddress + at, textAddress + end, crc);
    }
    assert.equal(crc, crc32(text));
  }
});

function fillRandomly(target: Buffer, seed: number): void {
  let state = seed;
  for (let i = 0; i < target.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    target[i] = state >>> 24;
  }
}
