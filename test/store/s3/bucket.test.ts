import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { openBucketConnections } from '../../../src/store/s3/bucket.js';
import { abortOldUploads, openBucketDestination } from '../../../src/store/s3/bucket-destination.js';
import { choosePartBytes, MAX_PARTS, PART_BYTES } from '../../../src/store/s3/multipart-upload.js';
import type { ObjectStore } from '../../../src/store/s3/object-store.js';
import { cleanUp } from '../../helpers/clean-up.js';
import type { TestBucket } from '../../helpers/s3/bucket.js';
import { type Shim, SLOW_DOWN } from '../../helpers/s3/shim.js';
import { type ContextWith, storeTest } from '../../helpers/services.js';
import { reachableBucket } from './opening.js';

interface Opened {
  readonly store: ObjectStore;
  readonly bucket: TestBucket;
  readonly shim: Shim;
}

async function open(t: ContextWith<'store'>, stallTimeoutMs?: number): Promise<Opened> {
  const { bucket, shim, settings } = await reachableBucket(t, stallTimeoutMs);
  const stores = openBucketConnections(settings);
  cleanUp(t, () => stores.close());
  return { store: stores.bucket(bucket.name), bucket, shim };
}

async function bytesOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const found: Buffer[] = [];
  for await (const chunk of chunks) found.push(chunk);
  return Buffer.concat(found);
}

storeTest('an upload consists of parts of one size, or is put as a whole', async (t) => {
  const { store, bucket, shim } = await open(t);
  for (const size of [0, 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES + 100_000]) {
    const body = randomBytes(size);
    for (const announced of [undefined, size]) {
      const upload = store.upload('a', announced);
      await upload.write(body);
      const { etag, partSize } = await upload.complete();
      assert.equal((await store.head('a'))?.etag, etag);
      assert.equal(partSize, size > PART_BYTES ? PART_BYTES : undefined);
      assert.ok(body.equals(await bucket.read('a')));
    }
  }
  assert.equal(shim.calls.filter(({ operation }) => operation === 'PutObject').length, 6);
  assert.deepEqual(await bucket.uploads(), []);
});

storeTest(
  'retries requests that the store refuses temporarily, and requests whose response is lost',
  async (t) => {
    const { store, shim, bucket } = await open(t);
    const body = randomBytes(PART_BYTES + 5);
    const write = async (key: string): Promise<void> => {
      const upload = store.upload(key);
      await upload.write(body);
      const stored = await upload.complete();
      assert.equal((await store.head(key))?.etag, stored.etag);
      assert.ok(body.equals(await bucket.read(key)));
      await store.remove([key]);
    };
    for (const harm of ['lost answer', 'error in 200', SLOW_DOWN] as const) {
      void shim.harm('CompleteMultipartUpload', harm);
      await write(`completed: ${JSON.stringify(harm)}`);
    }
    for (const harm of ['cut request', 'lost answer', SLOW_DOWN] as const) {
      void shim.harm('UploadPart', harm);
      void shim.harm('PutObject', harm);
      void shim.harm('CreateMultipartUpload', SLOW_DOWN);
      await write(`sent: ${JSON.stringify(harm)}`);
      await store.put('small', body.subarray(0, 9));
    }
    void shim.harm('GetObject', 'cut answer', 2);
    await store.put('read', body);
    assert.ok(body.equals(await bytesOf(store.get('read'))));
  },
);

storeTest('reading stops if the object is replaced meanwhile, also by a shorter one', async (t) => {
  const { store, shim } = await open(t);
  for (const newBytes of [3_000_000, 100]) {
    await store.put('a', randomBytes(3_000_000));
    void shim.harm('GetObject', 'cut answer');
    const chunks = store.get('a')[Symbol.asyncIterator]();
    await chunks.next();
    await store.put('a', randomBytes(newBytes));
    const rest = async (): Promise<void> => {
      while (!(await chunks.next()).done);
    };
    await assert.rejects(rest(), { code: 'changed' }, `${newBytes} bytes`);
  }
});

storeTest('gives up on a silent store after some attempts', async (t) => {
  const { store, shim } = await open(t, 200);
  void shim.harm('PutObject', 'silence', 100);
  await assert.rejects(store.put('a', Buffer.alloc(100_000)), {
    code: 'store_down',
    exitCode: 5,
    message: /s3:\/\/test-\w+\/a: .* no response within 0\.2s; tried 3 times/,
  });
});

storeTest('a missing bucket is reported at once', async (t) => {
  const { settings } = await reachableBucket(t);
  await assert.rejects(openBucketDestination('s3://nobodys-bucket/x', settings), {
    exitCode: 2,
    message: /^s3:\/\/nobodys-bucket: there is no such bucket/,
  });
});

storeTest('aborts own uploads that have been unfinished for a day', async (t) => {
  const { store, bucket } = await open(t);
  const keys = ['p/a.csv.gz', 'p/b.npz', 'p/c.backup', 'q/d.csv.gz'];
  const uploads = keys.map((key) => store.upload(key));
  // The first part of each is stored before the second is sent.
  for (const upload of uploads) await upload.write(Buffer.alloc(2 * PART_BYTES + 1));
  const hours = (count: number): number => Date.now() + count * 3_600_000;
  await abortOldUploads(store, 'p/', hours(20), undefined);
  assert.deepEqual(await bucket.uploads(), keys);
  await abortOldUploads(store, 'p/', hours(30), undefined);
  assert.deepEqual(await bucket.uploads(), keys.slice(2));
  await Promise.all(uploads.map((upload) => upload.abort()));
});

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
