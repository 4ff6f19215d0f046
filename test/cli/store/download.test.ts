import assert from 'node:assert/strict';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { jsonLines, succeeded } from '../../helpers/cli.js';
import type { TestBucket } from '../../helpers/s3/bucket.js';
import { SLOW_DOWN } from '../../helpers/s3/shim.js';
import { storeTest } from '../../helpers/services.js';
import { assertNoSecret, BOOK_ROWS, DAY_FILES, DOWNLOAD, NAMES, rowsOf, storeRig } from './rig.js';

storeTest('stores day files in a bucket, complete and recorded; a second run requests nothing', async (t) => {
  const rig = await storeRig(t);
  const words = [...DOWNLOAD, '--dir', rig.at('data')];
  const first = await rig.start(...words, '--json', '--verbose').finished;
  assert.equal(first.exitCode, 0, first.stderr);
  assertNoSecret(first, rig);
  assert.doesNotMatch(first.stderr, /Warning/, 'of Node or the SDK');
  assert.deepEqual(await rig.files('data'), NAMES);
  assert.deepEqual(await rig.assertTrue('data'), NAMES);
  assert.deepEqual(await rig.bucket.uploads(), []);
  const reported = jsonLines(first).filter(({ event }) => event === 'file');
  assert.deepEqual(
    reported.map(({ path, rows }) => [path, rows]).sort(),
    NAMES.map((name) => [name, rowsOf(name)]),
  );

  const [asked, calls] = [rig.asked().length, rig.shim.calls.length];
  const again = await rig.start(...words, '--json').finished;
  assert.equal(again.exitCode, 0, again.stderr);
  assert.equal(jsonLines(again).at(-1)?.['skipped'], NAMES.length);
  assert.equal(rig.asked().length, asked);
  const since = rig.shim.calls.slice(calls).filter(({ key }) => !key.includes('/.tickhaul/'));
  assert.deepEqual(
    new Set(since.map(({ operation }) => operation)),
    new Set(['ListObjectsV2', 'ListMultipartUploads']),
  );
});

storeTest('folders and the prefix may have any characters', async (t) => {
  const rig = await storeRig(t);
  const prefix = 'ü +%41&/ a';
  const words = [...DOWNLOAD, '--dir', rig.at(prefix), '--layout'];
  for (const layout of ['hive', '{type}/ß=+ {symbol}%2F&#/{name}']) {
    await succeeded(rig.run(...words, layout));
  }
  const files = await rig.files(prefix);
  assert.equal(files.length, 2 * NAMES.length);
  assert.ok(files.includes('trades/ß=+ BTCUSDT%2F&#/binance-futures_trades_2024-03-01_BTCUSDT.csv.gz'));
  assert.equal((await rig.assertTrue(prefix)).length, 2 * NAMES.length);
});

storeTest('files that fail their verification leave nothing', async (t) => {
  const rig = await storeRig(t, { faults: { 'bit-flip': 1 } });
  const { exitCode } = await rig.run(...DOWNLOAD, '--dir', rig.at('data'), '--retries', '1');
  assert.equal(exitCode, 6);
  assert.deepEqual(await rig.files('data'), []);
  assert.deepEqual(await rig.assertTrue('data'), []);
  assert.deepEqual(await rig.bucket.uploads(), []);
});

storeTest('recovers from faults of service and store in the same transfer', async (t) => {
  const rig = await storeRig(t, { faults: { reset: 1 }, faultsPerFile: 1 });
  const met = [
    rig.shim.harm('ListObjectsV2', SLOW_DOWN),
    rig.shim.harm('CreateMultipartUpload', 'lost answer'),
    rig.shim.harm('UploadPart', 'cut request'),
    rig.shim.harm('UploadPart', SLOW_DOWN),
    rig.shim.harm('CompleteMultipartUpload', 'error in 200'),
    rig.shim.harm('CompleteMultipartUpload', 'lost answer'),
    rig.shim.harm('PutObject', 'lost answer', 1, /csv\.gz$/),
    rig.shim.harm('PutObject', 'cut request', 1, /manifest/),
  ];
  await succeeded(rig.run(...DOWNLOAD, '--dir', rig.at('data')));
  await Promise.all(met);
  assert.deepEqual(await rig.files('data'), NAMES);
  assert.deepEqual(await rig.assertTrue('data'), NAMES);
});

storeTest('starts an upload again after the store lost it or a part of it', async (t) => {
  const rig = await storeRig(t);
  const harms = [
    ['UploadPart', 'other etag'],
    ['UploadPart', { status: 404, code: 'NoSuchUpload' }],
    ['CompleteMultipartUpload', { status: 404, code: 'NoSuchUpload' }],
    ['CompleteMultipartUpload', { status: 200, code: 'InvalidPart' }],
  ] as const;
  for (const [at, [operation, harm]] of harms.entries()) {
    const met = rig.shim.harm(operation, harm);
    await succeeded(rig.run(...DOWNLOAD, '--dir', rig.at(`data${at}`)));
    await met;
    assert.deepEqual(await rig.assertTrue(`data${at}`), NAMES);
  }
  const [operation, harm] = harms[2];
  const began = (): number =>
    rig.shim.calls.filter((call) => call.operation === 'CreateMultipartUpload').length;
  const before = began();
  void rig.shim.harm(operation, harm, 2);
  const { exitCode, stderr } = await rig.run(...DOWNLOAD, '--dir', rig.at('failed'), '--retries', '1');
  assert.equal(exitCode, 3, stderr);
  assert.match(stderr, /aborted by another program; run the same command again \(NoSuchUpload, 404\)/);
  assert.equal(began() - before, 2);
  assert.deepEqual(await rig.bucket.uploads(), []);
});

storeTest('converts a file again after the store lost the upload of its output', async (t) => {
  const rig = await storeRig(t);
  const [book = ''] = NAMES;
  const source = rig.at(`raw/${book}`);
  await rig.bucket.write(`raw/${book}`, DAY_FILES[book] ?? Buffer.of());
  const lost = { status: 404, code: 'NoSuchUpload' } as const;
  // Large enough for a multipart upload.
  const convert = (out: string) =>
    rig.run('convert', source, '-o', rig.at(out), '-f', 'ndjson', '--compression', 'none', '--json');
  const began = (): number =>
    rig.shim.calls.filter((call) => call.operation === 'CreateMultipartUpload').length;
  void rig.shim.harm('CompleteMultipartUpload', lost, 2);
  const converted = await convert('out');
  assert.deepEqual([converted.exitCode, began()], [0, 3], converted.stderr);
  assert.equal((await rig.files('out')).length, 1);
  void rig.shim.harm('CompleteMultipartUpload', lost, 3);
  const failed = await convert('failed');
  assert.deepEqual([failed.exitCode, began()], [3, 6], failed.stderr);
  assert.match(failed.stdout, /aborted by another program; run the same command again \(NoSuchUpload, 404\)/);
  assert.deepEqual([await rig.files('failed'), await rig.bucket.uploads()], [[], []]);
});

storeTest('two runs with the same files both succeed, and each file is stored once', async (t) => {
  const rig = await storeRig(t);
  const both = await Promise.all([1, 2].map(() => rig.start(...DOWNLOAD, '--dir', rig.at('data')).finished));
  for (const { exitCode, stderr } of both) assert.equal(exitCode, 0, stderr);
  assert.deepEqual(await rig.files('data'), NAMES);
  assert.deepEqual(await rig.assertTrue('data'), NAMES);
  assert.deepEqual(await rig.bucket.uploads(), []);
});

storeTest('stores only Parquet, and reads it there in ranges', async (t) => {
  const rig = await storeRig(t);
  const words = [
    ...DOWNLOAD,
    '--dir',
    rig.at('data'),
    '--layout',
    'hive',
    '--convert',
    'parquet',
    '--no-keep-csv',
  ];
  await succeeded(rig.run(...words));
  const files = await rig.files('data');
  assert.deepEqual(
    files.map((path) => path.replace(/.*\//, '')),
    NAMES.map((name) => name.replace('.csv.gz', '.parquet')),
  );
  const [book = ''] = files;
  assert.equal(
    book,
    'exchange=binance-futures/data_type=incremental_book_L2/dataset_symbol=BTCUSDT/date=2024-03-01/binance-futures_incremental_book_L2_2024-03-01_BTCUSDT.parquet',
  );
  const file = await rangesOf(rig.bucket, `data/${book}`);
  assert.equal(Number((await parquetMetadataAsync(file)).num_rows), BOOK_ROWS);
  const rows = await parquetReadObjects({ file, compressors, rowStart: BOOK_ROWS - 1 });
  assert.deepEqual(
    rows.map(({ side, price, amount }) => [side, price, amount]),
    [['bid', 61000.5, 0.25]],
  );
  assert.deepEqual(await rig.bucket.uploads(), []);
  const asked = rig.asked().length;
  const again = await rig.run(...words, '--json');
  assert.deepEqual([again.exitCode, rig.asked().length], [0, asked], again.stderr);
  assert.deepEqual(await rig.files('data'), files);
});

/** An object as a file of hyparquet. */
async function rangesOf({ name: Bucket, client, read }: TestBucket, Key: string): Promise<AsyncBuffer> {
  const { length } = await read(Key);
  return {
    byteLength: length,
    async slice(from, to = length) {
      const Range = `bytes=${from < 0 ? length + from : from}-${to - 1}`;
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, Range }));
      return Uint8Array.from((await Body?.transformToByteArray()) ?? []).buffer;
    },
  };
}
