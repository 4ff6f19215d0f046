import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { readRowsInThread } from '../../../src/convert/rows/read-rows.js';
import { readRowsInline } from '../../../src/convert/rows/read-rows-inline.js';
import { dataTypeColumns } from '../../../src/day-files/data-types.js';
import { openFiles } from '../../../src/store/open-files.js';
import { makeUpRows, toCsv } from '../../audit/text-rows.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { storeTest } from '../../helpers/services.js';
import { reachableBucket } from '../../store/s3/opening.js';

storeTest('reads an object of a store in another thread, and throws its errors', async (t) => {
  const { bucket, settings } = await reachableBucket(t);
  const columns = (dataTypeColumns('quotes') ?? []).map(({ name }) => name);
  const csv = toCsv(columns, makeUpRows({ dataType: 'quotes', rows: 3000, seed: 5, faults: 0 }));
  await bucket.write('a.csv.gz', gzipSync(csv));
  const request = {
    path: `s3://${bucket.name}/a.csv.gz`,
    dataType: 'quotes',
    batchRows: 1000,
    numberText: 'none',
    hash: 'sha256',
    inflateThreads: 0,
  } as const;
  const { signal } = new AbortController();
  const files = openFiles(settings);
  cleanUp(t, () => files.close());
  const rows: number[] = [];
  const sink = { onBatch: (batch: { rows: number }) => void rows.push(batch.rows), onBytes: () => {} };
  const facts = await readRowsInThread(request, settings, sink, signal);
  assert.deepEqual(rows, [1000, 1000, 1000]);
  assert.deepEqual(facts, await readRowsInline(request, files, sink, signal));
  const missing = { ...request, path: `${request.path}x` };
  await assert.rejects(readRowsInThread(missing, settings, sink, signal), { code: 'missing' });
});
