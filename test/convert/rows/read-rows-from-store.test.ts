import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { readRowsInThread } from '../../../src/convert/rows/read-rows.js';
import { readRowsInline } from '../../../src/convert/rows/read-rows-inline.js';
import { dataTypeColumns } from '../../../src/day-files/data-types.js';
import { openFiles } from '../../../src/store/open-files.js';
import { makeUpRows, toCsv } from '../../audit/text-rows.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { storeTest } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
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

const run = promisify(execFile);

test('a thread can be started from the text of a module', async (t) => {
  const path = join(await tempDir(t), 'a.csv.gz');
  await writeFile(path, gzipSync('exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n'));
  const module = new URL('../../../src/convert/rows/read-rows.js', import.meta.url).href;
  const request = { path, batchRows: 10, numberText: 'none', hash: 'md5', inflateThreads: 0 };
  const sink = '{ onBatch() {}, onBytes() {} }';
  const text = `import { readRowsInThread } from '${module}';
    const { signal } = new AbortController();
    const result = await readRowsInThread(${JSON.stringify(request)}, undefined, ${sink}, signal);
    console.log(result.dataType);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', text]);
  assert.equal(stdout, 'trades\n');
});
