import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WholeLineSplitter } from '../../src/raw-feeds/read-feed-part.js';

/** Lines of a few bytes, some empty, and some longer than a piece. */
const line = fc.oneof(
  { weight: 30, arbitrary: fc.nat(40) },
  { weight: 1, arbitrary: fc.integer({ min: 250_000, max: 300_000 }) },
);

test('yields all whole lines in order, for any chunks', () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 40 }),
      fc.integer({ min: 1, max: 64 }),
      fc.integer({ min: 1, max: 9 }),
      (lengths, least, chunks) => {
        const text = Buffer.from(lengths.map((length, at) => `${String(at % 10).repeat(length)}\n`).join(''));
        const size = Math.max(least, Math.ceil(text.length / chunks));
        const whole = new WholeLineSplitter(256 * 1024);
        const pieces: Buffer[] = [];
        for (let at = 0; at < text.length; at += size) {
          for (const piece of whole.split(text.subarray(at, at + size))) {
            assert.equal(piece.at(-1), 0x0a);
            pieces.push(piece);
          }
        }
        assert.ok(Buffer.concat(pieces).equals(text));
        assert.ok(pieces.every((piece) => piece.length <= 256 * 1024 || piece.indexOf(0x0a) >= 250_000));
      },
    ),
    { numRuns: 60 },
  );
});
