import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseBucketAddress, parseObjectLocation } from '../../../src/store/s3/bucket-files.js';

test('an address has a bucket and an optional prefix', () => {
  for (const [text, bucket, prefix, name] of [
    ['s3://data', 'data', '', 's3://data'],
    ['S3://data/', 'data', '', 's3://data'],
    ['s3://my.data-1/a', 'my.data-1', 'a/', 's3://my.data-1/a'],
    ['s3://Old_Bucket/a/b=c d/', 'Old_Bucket', 'a/b=c d/', 's3://Old_Bucket/a/b=c d'],
  ] as const)
    assert.deepEqual(parseBucketAddress(text), { bucket, prefix, name });
});

test('refuses invalid addresses, without showing passwords', () => {
  for (const [text, says] of [
    ['s3://', /has no bucket; use s3:\/\/bucket\/prefix/],
    ['s3:///prefix', /has no bucket/],
    ['s3://ab', /"ab" is not a valid bucket name/],
    ['s3://-data', /is not a valid bucket name/],
    ['s3://da ta/x', /is not a valid bucket name/],
    ['s3://data/a//b', /single slashes/],
    ['s3://data/../b', /single slashes/],
    ['s3://data/.', /single slashes/],
    ['s3://data//b', /single slashes/],
    ['s3://data/a\\b', /single slashes/],
    ['s3://data/a/.tickhaul', /\.tickhaul is reserved by tickhaul/],
    ['s3://key:secret@host/data', /set credentials with AWS_ACCESS_KEY_ID/],
    ['s3://localhost:9000/data', /the host with --s3-endpoint/],
  ] as const)
    assert.throws(
      () => parseBucketAddress(text),
      (error: Error) => {
        assert.match(error.message, says, text);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
    );
});

test('a key is parsed as it is written', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (key) => {
      assert.deepEqual(parseObjectLocation(`s3://data/${key}`), { bucket: 'data', key });
    }),
  );
});
