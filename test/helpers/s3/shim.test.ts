import assert from 'node:assert/strict';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { cleanUp } from '../clean-up.js';
import { storeTest } from '../services.js';
import { bucketFor } from './bucket.js';
import { SLOW_DOWN, shimFor } from './shim.js';

storeTest('the shim injects faults only into the chosen requests', async (t) => {
  const { name: Bucket, gateway, read, keys } = await bucketFor(t);
  const shim = await shimFor(t, gateway.endpoint);
  const client = new S3Client({
    endpoint: shim.endpoint,
    region: 'us-east-1',
    credentials: gateway,
    forcePathStyle: true,
    maxAttempts: 1,
  });
  cleanUp(t, () => client.destroy());
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
