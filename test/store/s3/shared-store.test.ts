import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import type { Manifest } from '../../../src/store/manifest/manifest.js';
import { openBucketConnections } from '../../../src/store/s3/bucket.js';
import { acquireLease } from '../../../src/store/s3/lease.js';
import { openStoreManifest } from '../../../src/store/s3/manifest/store-manifest.js';
import type { ObjectStore } from '../../../src/store/s3/object-store.js';
import type { TestBucket } from '../../helpers/s3/bucket.js';
import { NO_STORE } from '../../helpers/s3/gateway.js';
import { createTestRecord } from '../manifest/records.js';
import { reachableBucket } from './opening.js';

async function open(t: TestContext): Promise<{ readonly store: ObjectStore; readonly bucket: TestBucket }> {
  const { bucket, settings } = await reachableBucket(t);
  const stores = openBucketConnections(settings);
  t.after(() => stores.close());
  return { store: stores.bucket(bucket.name), bucket };
}

const owner = (n: number) => ({
  ...{ pid: 5_000_000, host: `host ${n}`, now: Date.now(), command: 'sync' },
  isAlive: () => true,
});

test('of 200 simultaneous exclusive runs on a real store, at most one holds the lease, and each gets it in the end', {
  skip: NO_STORE,
}, async (t) => {
  const { store, bucket } = await open(t);
  const many = Array.from({ length: 200 }, (_, n) => n);
  const outcomes = await Promise.all(
    many.map((n) =>
      acquireLease(store, 'data/', owner(n), { exclusive: true }).catch((error: unknown) => error),
    ),
  );
  const taken = outcomes.filter((outcome) => !(outcome instanceof Error)) as { release(): Promise<void> }[];
  const refused = outcomes.filter((outcome) => outcome instanceof TickhaulError && outcome.code === 'locked');
  assert.ok(taken.length <= 1);
  assert.equal(refused.length, 200 - taken.length, String(outcomes.find((one) => one instanceof Error)));
  await taken[0]?.release();
  assert.deepEqual(await bucket.keys(), []);

  let holders = 0;
  await Promise.all(
    many.slice(0, 8).map(async (n) => {
      const lease = await acquireLease(store, 'data/', owner(n), { exclusive: true, timeoutMs: 240_000 });
      assert.equal(++holders, 1);
      await store.put('data/work', Buffer.from(String(n)));
      holders--;
      await lease.release();
    }),
  );
  assert.deepEqual(await bucket.keys(), ['data/work']);
});

test('concurrent runs write one manifest to a real store, before and after its compaction', {
  skip: NO_STORE,
}, async (t) => {
  const { store, bucket } = await open(t);
  const opened = (): Promise<Manifest> => openStoreManifest(store, 'data/', { warn: assert.fail });
  const runs = await Promise.all([opened(), opened()]);
  const append = (manifest: Manifest, path: string): Promise<unknown> => {
    const appended = manifest.append(createTestRecord(path));
    return Promise.all([manifest.flush(), appended]);
  };
  for (let n = 0; n < 26; n++)
    await Promise.all(runs.map((manifest, run) => append(manifest, `é ${run}/${n}`)));
  const before = await opened();
  assert.equal(before.size, 52);
  await append(before, 'one more');
  await before.close();
  const names = (await bucket.keys()).map((key) => key.slice(key.lastIndexOf('/') + 1));
  assert.equal(names.length, 54, 'its base is there, and the compaction holds no lease');
  assert.match(names.at(-1) ?? '', /^base-/);
  const after = await opened();
  assert.deepEqual(
    [...after.records()].map(({ path }) => path).sort(),
    [...before.records()].map(({ path }) => path).sort(),
  );
  for (const manifest of [...runs, after]) await manifest.close();
});
