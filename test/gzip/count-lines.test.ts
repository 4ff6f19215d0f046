import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countLines } from '../../src/gzip/count-lines.js';

test('counts exactly the line feeds, at any alignment and cut', () => {
  const byte = fc.oneof(fc.constantFrom(0x0a, 0x0b, 0x8a, 0x00, 0xff), fc.nat(255));
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 300 }), fc.nat(9), fc.nat(300), (bytes, start, cut) => {
      const chunk = Buffer.concat([Buffer.alloc(start, 0x0a), Buffer.from(bytes)]).subarray(start);
      const want = bytes.filter((value) => value === 0x0a).length;
      assert.equal(countLines(chunk), want);
      assert.equal(countLines(chunk.subarray(0, cut)) + countLines(chunk.subarray(cut)), want);
    }),
  );
});

test('counts long runs of short lines among long ones', () => {
  const piece = fc.record({ length: fc.nat(90), times: fc.nat(2000) });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.nat(50), (pieces, tail) => {
      const text = pieces.map(({ length, times }) => `${'x'.repeat(length)}\n`.repeat(times)).join('');
      const want = pieces.reduce((sum, { times }) => sum + times, 0);
      assert.equal(countLines(Buffer.from(text + 'x'.repeat(tail))), want);
    }),
    { numRuns: 50 },
  );
});
