import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { csvOf, parquetRows, writeDayFile } from '../convert/day-files.js';
import { envOf, type Finished, type JsonLine, jsonLines, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { bucketFor, type TestBucket } from '../helpers/s3/bucket.js';
import { sandbox } from '../helpers/sandbox.js';
import { type ContextWith, storeTest } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';

const TRADES = 'deribit_trades_2024-03-01_BTC-PERPETUAL';
const QUOTES = 'deribit_quotes_2024-03-01_BTC-PERPETUAL';

interface Place {
  readonly dir: string;
  readonly bucket: TestBucket;
  run(...words: readonly string[]): Promise<Finished>;
}

/** A folder with two day files, a bucket with the same files, and a command with access to both. */
async function place(t: ContextWith<'store'>): Promise<Place> {
  const [dir, bucket] = await Promise.all([tempDir(t), bucketFor(t)]);
  for (const type of ['trades', 'quotes']) {
    const path = await writeDayFile(dir, type, csvOf(type, 300));
    await bucket.write(`raw/${path.slice(dir.length + 1)}`, await readFile(path));
  }
  const env = bucket.envHere();
  return { dir, bucket, run: (...words) => runHere(words, { env }) };
}

function lastOf(finished: Finished): JsonLine {
  assert.equal(finished.exitCode, 0, finished.stderr);
  return jsonLines(finished).at(-1) ?? assert.fail('nothing was printed');
}

storeTest('convert and inspect give the same results for a store and a disk', async (t) => {
  const { dir, bucket, run } = await place(t);
  const raw = `s3://${bucket.name}/raw`;
  const out = `s3://${bucket.name}/out`;
  const parquet = `${TRADES}.parquet`;

  // Two files, so each is converted in a separate thread.
  assert.equal(lastOf(await run('convert', raw, '-o', out, '--layout', 'hive', '--json'))['converted'], 2);
  const hive = 'exchange=deribit/data_type=trades/dataset_symbol=BTC-PERPETUAL/date=2024-03-01';
  assert.deepEqual(
    (await bucket.keys('out/')).filter((key) => key.includes('trades')),
    [`out/${hive}/${parquet}`],
  );
  assert.equal(lastOf(await run('convert', raw, '-o', out, '--layout', 'hive', '--json'))['skipped'], 2);

  // From the store to disk, and from disk to the store, with a glob.
  await run('convert', `${raw}/${TRADES}.csv.gz`, '-o', join(dir, 'here'));
  await run('convert', join(dir, '*_trades_*.csv.gz'), '-o', `${out}/there`);
  const rows = await parquetRows(await bucket.read(`out/${hive}/${parquet}`));
  assert.equal(rows.length, 300);
  assert.deepEqual(await parquetRows(await readFile(join(dir, 'here', parquet))), rows);
  assert.deepEqual(await parquetRows(await bucket.read(`out/there/${parquet}`)), rows);

  // NDJSON has a separate file for its notes.
  const lines = ['convert', `${raw}/*_trades_*`, '-f', 'ndjson', '-o', out, '--json'];
  assert.equal(lastOf(await run(...lines))['converted'], 1);
  assert.equal(lastOf(await run(...lines, '--no-keep-source'))['skipped'], 1);
  assert.deepEqual(await bucket.keys('raw/'), [`raw/${QUOTES}.csv.gz`]);
  const printed = await run('convert', join(dir, `${TRADES}.csv.gz`), '-o', '-');
  assert.equal(String(await bucket.read(`out/${TRADES}.ndjson`)), printed.stdout);

  const quotes = await run('convert', `${raw}/${QUOTES}.csv.gz`, '-o', '-');
  assert.equal(quotes.stdout.split('\n').length, 301, quotes.stderr);

  await bucket.write(`raw/${TRADES}.csv.gz`, await readFile(join(dir, `${TRADES}.csv.gz`)));
  await mkdir(join(dir, 'out'));
  await copyFile(join(dir, 'here', parquet), join(dir, 'out', parquet));
  for (const [object, file] of [
    [`raw/${TRADES}.csv.gz`, `${TRADES}.csv.gz`],
    [`out/there/${parquet}`, `out/${parquet}`],
  ] as const) {
    const [reported, expected] = await Promise.all([
      run('inspect', `s3://${bucket.name}/${object}`, '--json'),
      run('inspect', join(dir, file), '--json'),
    ]);
    assert.equal(reported.exitCode, 0, reported.stderr);
    const { path: _, metadata: _metadata, ...facts } = JSON.parse(reported.stdout);
    const { path: _path, metadata: _other, bytes, ...same } = JSON.parse(expected.stdout);
    assert.deepEqual({ ...facts, bytes: 0 }, { ...same, bytes: 0 });
    assert.ok(Math.abs(facts.bytes - bytes) < 200, 'but for the record of the source');
  }
  assert.deepEqual(await bucket.uploads(), []);
});

storeTest('convert takes a prefix with glob characters literally', async (t) => {
  const { dir, bucket, run } = await place(t);
  const day = await readFile(join(dir, `${TRADES}.csv.gz`));
  const [odd, other] = ['odd [1]?/*', 'odd 11'];
  for (const prefix of [odd, other]) await bucket.write(`${prefix}/${TRADES}.csv.gz`, day);
  const location = `s3://${bucket.name}/${odd}`;
  assert.equal(
    lastOf(await run('convert', location, '-o', `s3://${bucket.name}/out`, '--json'))['converted'],
    1,
  );
  await run('convert', `${location}/`, '--no-keep-source');
  assert.deepEqual(await bucket.keys('odd'), [`${other}/${TRADES}.csv.gz`, `${odd}/${TRADES}.parquet`]);
});

storeTest('a missing object is code 2, and nothing is written', async (t) => {
  const { dir, bucket, run } = await place(t);
  const cases = [
    [['convert', `s3://${bucket.name}/none`], /\/none: no day files and no manifest$/m],
    [['convert', `s3://${bucket.name}/raw/*_liquidations_*`], /matches no \.csv\.gz object/],
    [['convert', 's3://no-such-bucket-here/raw'], /no such bucket/],
    [['convert', join(dir, `${TRADES}.csv.gz`), '-o', 's3://no-such-bucket-here/out'], /no such bucket/],
    [['inspect', `s3://${bucket.name}/raw`], /: no such file/],
    [['inspect', 's3://no-such-bucket-here/raw'], /no such bucket/],
    [['inspect', `s3://${bucket.name}`], /names no object; use s3:\/\/bucket\/key/],
    [['download', '--frozen', `s3://${bucket.name}/lock`], /--frozen: s3:\/\/… is not supported/],
    [['convert', 'gs://bucket/raw'], /gs:\/\/… is not supported/],
  ] as const;
  await Promise.all(
    cases.map(async ([words, message]) => {
      const { exitCode, stderr } = await run(...words);
      assert.match(stderr, message);
      assert.equal(exitCode, 2, stderr);
    }),
  );
  assert.deepEqual(await bucket.uploads(), []);
  assert.equal((await bucket.keys()).length, 2);
});

storeTest(
  'replay downloads day files to a store and reads them there; its output appears when it is complete',
  async (t) => {
    const [dir, bucket, service] = await Promise.all([tempDir(t), bucketFor(t), sandbox(t)]);
    const env = { ...envOf(service, dir), ...bucket.envHere() };
    const run = (...words: readonly string[]): Promise<Finished> => runHere(words, { env });
    const words = ['replay', 'deribit:BTC-PERPETUAL,ETH-PERPETUAL', '-t', 'trade,book_change,quote_1s'];
    const period = ['--from', '2024-03-01', '--to', '2024-03-03'];
    const store = ['--dir', `s3://${bucket.name}/days`];

    const [onDisk, inStore] = await Promise.all([
      run(...words, ...period),
      run(...words, ...period, ...store),
    ]);
    assert.equal(onDisk.exitCode, 0, onDisk.stderr);
    assert.equal(inStore.exitCode, 0, inStore.stderr);
    assert.ok(inStore.stdout === onDisk.stdout, 'the same lines');
    assert.equal((await bucket.keys('days/deribit_')).length, 8);

    const pin = `s3://${bucket.name}/plan.json`;
    const selection = [
      'deribit',
      '-t',
      'trades',
      '-s',
      'BTC-PERPETUAL',
      '--from',
      '2024-03-01',
      '--to',
      '2024-03-04',
    ];
    await succeeded(run('plan', ...selection, ...store, '--pin', pin, '--json'));
    await succeeded(run('plan', '--pinned', pin, ...store, '--files'));

    await service.close();
    await succeeded(
      run(...words, ...period, ...store, '--offline', '-o', `s3://${bucket.name}/all.ndjson.gz`),
    );
    assert.ok(String(gunzipSync(await bucket.read('all.ndjson.gz'))) === onDisk.stdout);

    const missing = await run(...words, '--date', '2024-03-03', ...store, '--offline');
    assert.equal(missing.exitCode, 7);
    const where = ` in s3://${bucket.name}/days; run without --offline`;
    assert.ok(missing.stderr.includes(where), missing.stderr);

    // A truncated day file: the partial output is removed.
    const key = 'days/deribit_trades_2024-03-02_BTC-PERPETUAL.csv.gz';
    await bucket.write(key, (await bucket.read(key)).subarray(0, -20));
    const cut = await run(...words, ...period, ...store, '--offline', '-o', `s3://${bucket.name}/cut.ndjson`);
    assert.notEqual(cut.exitCode, 0);
    assert.deepEqual(await bucket.keys('cut'), []);
    assert.deepEqual(await bucket.uploads(), []);
  },
);
