import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { Destination } from '../../../src/store/destination.js';
import { openDestination } from '../../../src/store/open-destination.js';
import { openFiles } from '../../../src/store/open-files.js';
import { openBucketConnections } from '../../../src/store/s3/bucket.js';
import { parseBucketAddress } from '../../../src/store/s3/bucket-address.js';
import { DataPrefix } from '../../../src/store/s3/data-prefix.js';
import { PART_BYTES } from '../../../src/store/s3/part-buffer-pool.js';
import { NO_STORE } from '../../helpers/s3/gateway.js';
import { type ReachableBucket, reachableBucket } from './opening.js';

interface Opened extends ReachableBucket {
  readonly destination: Destination;
}

async function open(t: TestContext, prefix: string): Promise<Opened> {
  const reachable = await reachableBucket(t);
  const name = `s3://${reachable.bucket.name}/${prefix}`;
  const destination = await openDestination(name, reachable.settings);
  t.after(() => destination.close());
  return { ...reachable, destination };
}

const { signal } = new AbortController();

async function listed(destination: Destination, under: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const page of destination.list(under, signal)) paths.push(...page.map(({ path }) => path));
  return paths;
}

test('a prefix of a bucket is a destination with only the objects under it', {
  skip: NO_STORE,
}, async (t) => {
  const { bucket, destination } = await open(t, 'data/');
  assert.equal(destination.name, `s3://${bucket.name}/data`);
  for (const key of [
    'data/a/1.csv.gz',
    'data/a/2.csv.gz',
    'data/ab/3.csv.gz',
    'data/.tickhaul/x',
    'data/b//c',
    'data2/d',
  ])
    await bucket.write(key, key);
  assert.deepEqual(await listed(destination, ''), ['a/1.csv.gz', 'a/2.csv.gz', 'ab/3.csv.gz']);
  assert.deepEqual(await listed(destination, 'a'), ['a/1.csv.gz', 'a/2.csv.gz']);
  assert.deepEqual(await listed(destination, 'a/2.csv.gz'), ['a/2.csv.gz']);
  const survey = await destination.openLookup(() => ['a/', 'b'], signal);
  assert.deepEqual(
    ['a/1.csv.gz', 'ab/3.csv.gz', 'c'].map((path) => survey.has(path)),
    [true, false, false],
  );
  const facts = survey.get('a/1.csv.gz');
  const looked = await destination.files.stat(destination.locate('a/1.csv.gz'));
  assert.deepEqual([looked?.bytes, looked?.etag], [facts?.bytes, facts?.etag]);
  assert.equal(destination.locate(''), destination.name);
  assert.throws(() => destination.locate('../a'), { code: 'usage' });
  assert.equal(await destination.readState('sync.json'), undefined);
  await destination.writeState('sync.json', '{"ü":1}');
  assert.equal(await destination.readState('sync.json'), '{"ü":1}');
  assert.equal((await bucket.read('data/.tickhaul/sync.json')).toString(), '{"ü":1}');
});

test('a missing bucket is reported at once', { skip: NO_STORE }, async (t) => {
  const { settings } = await reachableBucket(t);
  await assert.rejects(openDestination('s3://nobodys-bucket/x', settings), {
    exitCode: 2,
    message: /^s3:\/\/nobodys-bucket: there is no such bucket/,
  });
});

test('reads files of a store as a whole and at positions, and writes them as a whole', {
  skip: NO_STORE,
}, async (t) => {
  const { bucket, settings } = await reachableBucket(t);
  const files = openFiles(settings);
  t.after(() => files.close());
  const location = `s3://${bucket.name}/a b+c.parquet`;
  const body = randomBytes(100_000);
  assert.equal(await files.stat(location), undefined);
  assert.equal(await files.stat(`s3://${bucket.name}`), undefined);
  const part = await files.openPart(location);
  await part.write(body);
  const stored = await part.publish();
  await part.discard();
  assert.equal((await files.stat(location))?.etag, stored?.etag);
  const chunks: Buffer[] = [];
  await files.read(location, async (chunk) => void chunks.push(Buffer.from(chunk)));
  assert.ok(body.equals(Buffer.concat(chunks)));
  const random = await files.openRandom(location);
  assert.equal(random.bytes, body.length);
  assert.ok(body.subarray(50, 5000).equals(await random.read(50, 4950)));
  assert.equal((await random.read(7, 0)).length, 0);
  await assert.rejects(random.read(99_990, 20), { code: 'corrupt' });
  await bucket.write('a b+c.parquet', 'other');
  await assert.rejects(random.read(0, 4), { code: 'changed' });
  await random.close();
  await files.remove(location);
  await files.remove(location);
  await assert.rejects(files.openRandom(location), { code: 'missing' });
});

test('aborts own uploads that have been unfinished for a day', { skip: NO_STORE }, async (t) => {
  const { bucket, settings } = await reachableBucket(t);
  const stores = openBucketConnections(settings);
  t.after(() => stores.close());
  const store = stores.bucket(bucket.name);
  const keys = ['p/a.csv.gz', 'p/b.backup', 'q/c.csv.gz'];
  const uploads = keys.map((key) => store.upload(key));
  // The first part of each is stored before the second is sent.
  for (const upload of uploads) await upload.write(Buffer.alloc(2 * PART_BYTES + 1));
  const data = new DataPrefix(store, parseBucketAddress(`s3://${bucket.name}/p`));
  const hours = (count: number): number => Date.now() + count * 3_600_000;
  await data.abortOldUploads(hours(20), signal);
  assert.deepEqual(await bucket.uploads(), keys);
  await data.abortOldUploads(hours(30), signal);
  assert.deepEqual(await bucket.uploads(), keys.slice(1));
  await Promise.all(uploads.map((upload) => upload.abort()));
});
