import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MOST_PARTS, PART_SIZE, partSizeFor } from '../../../src/store/s3/part-size.js';

test('parts are as many as S3 takes, and of the usual size where that will do', () => {
  fc.assert(
    fc.property(fc.nat({ max: 5 * 1024 ** 4 }), (bytes) => {
      const size = partSizeFor(bytes);
      assert.ok(Math.ceil(bytes / size) <= MOST_PARTS);
      assert.ok(size === PART_SIZE || bytes > PART_SIZE * MOST_PARTS);
      assert.equal(size % (1024 * 1024), 0);
    }),
  );
  assert.equal(partSizeFor(undefined), PART_SIZE);
  assert.equal(partSizeFor(MOST_PARTS * PART_SIZE + 1), PART_SIZE + 1024 * 1024);
  assert.throws(() => partSizeFor(1024 ** 5), { code: 'disk' });
});
