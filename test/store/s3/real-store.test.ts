import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { bucketFor } from '../../helpers/s3/bucket.js';
import { NO_STORE } from '../../helpers/s3/gateway.js';
import { SLOW_DOWN, shimFor } from '../../helpers/s3/shim.js';

test('an upload to a real store is invisible until it is completed', { skip: NO_STORE }, async (t) => {
  const { name: Bucket, client, keys, uploads, read } = await bucketFor(t);
  const Key = 'a=1/ü +%41&?.gz';
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const upload = { Bucket, Key, UploadId };
  const Body = Buffer.from('whole');
  const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body }));
  assert.deepEqual([await keys(), await uploads()], [[], [Key]]);
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
  await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload }));
  assert.deepEqual([await keys(), await uploads()], [[Key], []]);
  assert.deepEqual(await read(Key), Body);
});

test('the shim injects faults only into the chosen requests', { skip: NO_STORE }, async (t) => {
  const { name: Bucket, gateway, read, keys } = await bucketFor(t);
  const shim = await shimFor(t, gateway.endpoint);
  const client = new S3Client({
    endpoint: shim.endpoint,
    region: 'us-east-1',
    credentials: gateway,
    forcePathStyle: true,
    maxAttempts: 1,
  });
  t.after(() => client.destroy());
  const put = (Key: string): Promise<unknown> =>
    client.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.alloc(100_000, Key) }));
  const get = async (Key: string): Promise<number | undefined> => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
    return (await Body?.transformToByteArray())?.length;
  };

  await put('a');
  const met = shim.harm('PutObject', SLOW_DOWN, 2, /^b$/);
  await assert.rejects(put('b'), { name: 'SlowDown' });
  await met;
  await put('a b+ü');
  await assert.rejects(put('b'), { name: 'SlowDown' });
  await put('b');
  void shim.harm('PutObject', 'cut request');
  await assert.rejects(put('c'));
  void shim.harm('PutObject', 'lost answer');
  await assert.rejects(put('d'));
  assert.deepEqual(await keys(), ['a', 'a b+ü', 'b', 'd']);
  assert.equal((await read('d')).length, 100_000);
  void shim.harm('GetObject', 'cut answer');
  await assert.rejects(get('a'));
  assert.equal(await get('a'), 100_000);
  assert.deepEqual(
    shim.calls.map(({ operation, key }) => `${operation.slice(0, 3)} ${key}`),
    ['Put a', 'Put b', 'Put a b+ü', 'Put b', 'Put b', 'Put c', 'Put d', 'Get a', 'Get a'],
  );
});
