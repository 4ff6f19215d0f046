import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { choosePartBytes, MAX_PARTS, PART_BYTES } from '../../../src/store/s3/multipart-upload.js';

test('there are no more parts than S3 allows, of the usual size if possible', () => {
  fc.assert(
    fc.property(fc.nat({ max: 5 * 1024 ** 4 }), (bytes) => {
      const size = choosePartBytes(bytes);
      assert.ok(Math.ceil(bytes / size) <= MAX_PARTS);
      assert.ok(size === PART_BYTES || bytes > PART_BYTES * MAX_PARTS);
      assert.equal(size % (1024 * 1024), 0);
    }),
  );
  assert.equal(choosePartBytes(undefined), PART_BYTES);
  assert.equal(choosePartBytes(MAX_PARTS * PART_BYTES + 1), PART_BYTES + 1024 * 1024);
  assert.throws(() => choosePartBytes(1024 ** 5), { code: 'disk' });
});
