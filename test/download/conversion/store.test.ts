import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import type { ManifestRecord } from '../../../src/store/manifest-record.js';
import { openDestination } from '../../../src/store/open-destination.js';
import { cellsOf, parquetRows } from '../../convert/day-files.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { sandbox } from '../../helpers/sandbox.js';
import { storeTest } from '../../helpers/services.js';
import { reachableBucket } from '../../store/s3/opening.js';
import { NAME, run } from '../runs.js';
import { converting, dropping, PARQUET, setting } from './converting.js';

storeTest('stores conversions in a bucket beside their day files, or alone', async (t) => {
  const { bucket, shim, settings } = await reachableBucket(t);
  const store = await openDestination(`s3://${bucket.name}/a b`, settings);
  cleanUp(t, () => store.close());
  const service = await sandbox(t, { faults: { truncate: 1 }, faultsPerFile: 1 });
  const files = async (): Promise<readonly string[]> => {
    const keys = (await bucket.keys()).map((key) => key.replace('a b/', ''));
    return keys.filter((key) => !key.startsWith('.tickhaul/'));
  };
  const recorded = async (): Promise<ManifestRecord | undefined> => {
    const manifest = await store.openManifest({ warn: assert.fail });
    await manifest.close();
    return manifest.get(NAME);
  };

  assert.deepEqual((await run(service, store, dropping())).summary.counts, { downloaded: 1 });
  assert.deepEqual(await files(), [PARQUET]);
  const record = await recorded();
  const parquet = await bucket.read(`a b/${PARQUET}`);
  const [entry] = record?.conversions ?? [];
  assert.deepEqual([record?.dropped, entry?.bytes], [true, parquet.length]);
  assert.ok(entry?.object);
  assert.ok(!shim.calls.some(({ operation, key }) => operation === 'PutObject' && key.endsWith(NAME)));
  assert.deepEqual((await run(service, store, dropping())).summary.counts, { skipped: 1 });

  assert.deepEqual((await run(service, store, converting())).summary.counts, { downloaded: 1 });
  assert.deepEqual(await files(), [NAME, PARQUET].sort());
  const csv = gunzipSync(await bucket.read(`a b/${NAME}`)).toString();
  assert.deepEqual(await parquetRows(parquet), cellsOf('trades', csv));
  // Converted from the stored day file.
  const lines = converting(setting('ndjson'));
  assert.deepEqual((await run(service, store, lines)).summary.counts, { converted: 1 });
  assert.deepEqual((await run(service, store, dropping())).summary.counts, { skipped: 1 });
  assert.ok(!(await files()).includes(NAME), 'what is no longer wanted goes');
  assert.deepEqual(await bucket.uploads(), []);
});
