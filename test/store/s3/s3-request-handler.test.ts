import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatS3Request } from '../../../src/store/s3/s3-request-handler.js';

const OBJECT = { method: 'PUT', host: 'store:9000', path: '/bucket/a%3D1/b.csv.gz', query: {}, headers: {} };

test('a request is shown with the parts that identify it', () => {
  assert.equal(formatS3Request(OBJECT), 'PUT store:9000/bucket/a=1/b.csv.gz');
  const part = { ...OBJECT, query: { partNumber: '3', uploadId: '2~secret', 'x-id': 'UploadPart' } };
  assert.equal(formatS3Request(part), 'PUT store:9000/bucket/a=1/b.csv.gz?partNumber=3&uploadId');
  const page = { 'list-type': '2', 'continuation-token': 'long', prefix: 'a=1/', 'encoding-type': 'url' };
  const listing = { ...OBJECT, method: 'GET', path: '/bucket', query: page };
  assert.equal(formatS3Request(listing), 'GET store:9000/bucket?list-type=2&continuation-token&prefix=a=1/');
  const read = { ...OBJECT, method: 'GET', headers: { range: 'bytes=0-99', authorization: 'AWS4 …' } };
  assert.equal(formatS3Request(read), 'GET store:9000/bucket/a=1/b.csv.gz bytes=0-99');
});

test('shows no unknown parameters and no control characters', () => {
  const names = ['X-Amz-Signature', 'X-Amz-Security-Token', 'role_name', 'uploadId', 'x-id'];
  const query = Object.fromEntries(names.map((name) => [name, 's3cret']));
  const headers = { authorization: 's3cret', 'x-amz-security-token': 's3cret' };
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (key) => {
      const path = `/bucket/${encodeURIComponent(key)}`;
      const shown = formatS3Request({ ...OBJECT, path, query, headers });
      assert.ok(shown.endsWith('?uploadId'));
      assert.doesNotMatch(shown, /\p{Cc}|s3cret/u);
    }),
  );
  assert.equal(formatS3Request({ ...OBJECT, path: '/%zz' }), 'PUT store:9000/%zz');
});
