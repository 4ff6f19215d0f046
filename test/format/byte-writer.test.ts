import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from '../../src/format/byte-writer.js';

const ALLOCATORS = {
  'memory of the thread': undefined,
  'shared memory': (bytes: number) => new Uint8Array(new SharedArrayBuffer(bytes)),
};

for (const [name, allocate] of Object.entries(ALLOCATORS)) {
  test(`${name}: the written bytes are the appended ones, however often the buffer grows`, () => {
    const parts = fc.array(fc.oneof(fc.uint8Array({ maxLength: 400 }), fc.nat(255)), { maxLength: 20 });
    const property = fc.property(parts, fc.integer({ min: 1, max: 64 }), (parts, capacity) => {
      const out = new ByteWriter(capacity, allocate);
      for (const part of parts) typeof part === 'number' ? out.byte(part) : out.append(part);
      const expected = parts.flatMap((part) => (typeof part === 'number' ? [part] : [...part]));
      assert.deepEqual([...out.written()], expected);
    });
    fc.assert(property, { numRuns: 300 });
  });
}
