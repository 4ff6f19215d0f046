import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { copyBytes } from '../../src/base/memory.js';

const ROOM = 1024;

/** A buffer in memory of one thread, or in shared memory. */
function createBuffer(isShared: boolean, bytes: number): Buffer {
  return isShared ? Buffer.from(new SharedArrayBuffer(bytes)) : Buffer.alloc(bytes);
}

test('copies bytes of any length and alignment, and nothing else', () => {
  const property = fc.property(
    fc.uint8Array({ maxLength: 400 }),
    fc.nat(16),
    fc.nat(16),
    fc.boolean(),
    fc.boolean(),
    (bytes, from, at, isSourceShared, isTargetShared) => {
      const source = createBuffer(isSourceShared, ROOM).subarray(from, from + bytes.length);
      source.set(bytes);
      const target = createBuffer(isTargetShared, ROOM).fill(255);
      copyBytes(source, target, at);
      const rest = Buffer.alloc(ROOM - at - bytes.length, 255);
      assert.deepEqual([...target], [...Buffer.concat([Buffer.alloc(at, 255), bytes, rest])]);
    },
  );
  fc.assert(property, { numRuns: 500 });
});
