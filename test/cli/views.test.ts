import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DATA_TYPES } from '../../src/day-files/data-types.js';
import { csvOf, writeDayFile } from '../convert/day-files.js';
import { type Duck, duckFor } from '../format/parquet/readers.js';
import { failedWith, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { bucketFor } from '../helpers/s3/bucket.js';
import { storeTest } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';

const ROWS = 50;
const HEADER = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount';

/** Creates the views of a folder in a new database. @returns the database, and the SQL. */
async function viewsOf(t: TestContext, dir: string): Promise<Duck & { readonly sql: string }> {
  const { stdout, stderr } = await succeeded(runHere(['views', dir]));
  assert.equal(stderr, '');
  const duck = await duckFor(t);
  await duck.query(stdout);
  return { ...duck, sql: stdout };
}

async function convert(...words: readonly string[]): Promise<void> {
  await succeeded(runHere(['convert', ...words]));
}

/** Columns, number of rows, and a sum that depends on every cell. */
async function digest({ query }: Duck, type: string): Promise<unknown> {
  const columns = (await query(`DESCRIBE "${type}"`)).map((row) => row.slice(0, 2));
  return { columns, rows: await query(`SELECT count(*), sum(hash(v)) FROM "${type}" AS v`) };
}

/** Writes trades at each of the given seconds of a day. */
async function writeTrades(
  dir: string,
  name: string,
  day: string,
  seconds: readonly number[],
): Promise<string> {
  const start = Date.parse(day) * 1000;
  const rows = seconds.map(
    (second) => `b,X,${start + second * 1e6},${start + second * 1e6 + 7},,buy,1.5,${second}`,
  );
  const path = join(dir, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, gzipSync([HEADER, ...rows, ''].join('\n')));
  return path;
}

test('gives the same rows and types over CSV and over every encoding of Parquet', async (t) => {
  const dir = await tempDir(t);
  for (const type of DATA_TYPES) await writeDayFile(dir, type, csvOf(type, ROWS));
  const csv = await viewsOf(t, dir);
  const encodings = [[], ['--times', 'int'], ['--numbers', 'string'], ['--layout', 'hive']];
  for (const [i, flags] of encodings.entries()) {
    const out = join(dir, `out${i}`);
    await convert(join(dir, '*.csv.gz'), '-o', out, ...flags);
    const parquet = await viewsOf(t, out);
    for (const type of DATA_TYPES)
      assert.deepEqual(await digest(parquet, type), await digest(csv, type), `${type} ${flags.join(' ')}`);
  }
  assert.deepEqual(
    await csv.query('SELECT count(*), sum(price) > 0, min(date)::VARCHAR, min(type) FROM trades'),
    [[ROWS, true, '2024-03-01', 'trades']],
  );
  // The column of this type is the kind of the option.
  assert.deepEqual(await csv.query('SELECT DISTINCT type FROM options_chain ORDER BY 1'), [
    ['call'],
    ['put'],
  ]);
});

test('reads each day once, from Parquet if there is any', async (t) => {
  const dir = await tempDir(t);
  const name = (day: number): string => `b_trades_2024-03-0${day}_X.csv.gz`;
  const write = (day: number) => writeTrades(dir, name(day), `2024-03-0${day}`, [day]);
  await Promise.all([1, 2, 3, 4, 5].map(write));
  await convert(join(dir, name(2)));
  await convert(join(dir, name(3)), '--no-keep-source');
  await convert(join(dir, name(4)), '--times', 'int', '-o', join(dir, 'elsewhere'), '--layout', 'hive');
  await convert(join(dir, name(5)), '--numbers', 'string', '--no-keep-source');
  // The state folder holds no day files, whatever their names.
  await writeTrades(dir, `.tickhaul/${name(9)}`, '2024-03-09', [9]);
  const { query, sql } = await viewsOf(t, dir);
  assert.deepEqual(
    await query('SELECT date::VARCHAR, amount, local_timestamp::VARCHAR FROM trades ORDER BY 1'),
    [
      ['2024-03-01', 1, '2024-03-01 00:00:01.000007+00'],
      ['2024-03-02', 2, '2024-03-02 00:00:02.000007+00'],
      ['2024-03-03', 3, '2024-03-03 00:00:03.000007+00'],
      ['2024-03-04', 4, '2024-03-04 00:00:04.000007+00'],
      ['2024-03-05', 5, '2024-03-05 00:00:05.000007+00'],
    ],
  );
  assert.equal(sql.match(/read_csv/g)?.length, 1);

  await convert(join(dir, name(2)), '-o', join(dir, 'again'), '--layout', 'hive');
  const { stderr } = await succeeded(runHere(['views', dir]));
  assert.match(stderr, /1 Parquet file left out: other files hold the same day files/);
});

test('has a view for each computed type', async (t) => {
  const dir = await tempDir(t);
  const trades = await writeDayFile(dir, 'trades', csvOf('trades', ROWS));
  const book = await writeDayFile(dir, 'incremental_book_L2', csvOf('incremental_book_L2', 2000));
  await convert(trades, '--as', 'trade_bar_1m,trade_bar_0.5vol', '--numbers', 'string');
  await convert(book, '--as', 'quote,book_snapshot_5_1s', '--times', 'int');
  const { query, sql } = await viewsOf(t, dir);
  assert.deepEqual(
    [...sql.matchAll(/VIEW "(.*?)"/g)].map(([, name]) => name),
    ['book_snapshot_5_1s', 'incremental_book_L2', 'quote', 'trade_bar_0.5vol', 'trade_bar_1m', 'trades'],
  );
  assert.deepEqual(
    await query('SELECT sum(trades), typeof(min(trades)), typeof(min(vwap)), min(type) FROM trade_bar_1m'),
    [[ROWS, 'BIGINT', 'DOUBLE', 'trade_bar_1m']],
  );
  const [[snapshots] = []] = await query(
    `SELECT count("asks[4].price") FROM book_snapshot_5_1s WHERE typeof(timestamp) = 'TIMESTAMP WITH TIME ZONE'`,
  );
  assert.ok(Number(snapshots) > 0);
});

test('reads columns in any order, unknown columns, and days without data', async (t) => {
  const dir = await tempDir(t);
  const write = (day: number, text: string) =>
    writeFile(join(dir, `b_trades_2024-03-0${day}_X.csv.gz`), gzipSync(text));
  await write(1, `${HEADER}\nb,X,1709251200000001,1709251200000002,7,buy,1.5,2\n`);
  await write(
    2,
    'amount,exchange,symbol,timestamp,local_timestamp,id,side,price,"fee"\n3,b,"X,Y",1709337600000001,1709337600000002,,sell,2.5,free\n',
  );
  await write(3, '');
  await write(4, `${HEADER}\n`);
  const { query } = await viewsOf(t, dir);
  assert.deepEqual(
    await query(`SELECT symbol, id, side, price, amount, fee FROM trades ORDER BY timestamp`),
    [
      ['X', '7', 'buy', 1.5, 2, null],
      ['X,Y', null, 'sell', 2.5, 3, 'free'],
    ],
  );
});

test('keeps the symbols of a grouped file in the hive layout', async (t) => {
  const dir = await tempDir(t);
  const path = await writeTrades(dir, 'b_trades_2024-03-01_PERPETUALS.csv.gz', '2024-03-01', [1, 2]);
  await convert(path, '-o', join(dir, 'out'), '--layout', 'hive');
  const { query, sql } = await viewsOf(t, join(dir, 'out'));
  assert.deepEqual(await query('SELECT DISTINCT exchange, type, symbol, date::VARCHAR FROM trades'), [
    ['b', 'trades', 'X', '2024-03-01'],
  ]);
  assert.match(sql, /exchange=b\/data_type=trades\/dataset_symbol=PERPETUALS\/date=2024-03-01/);
});

test('reads folders and symbols with characters that SQL and globs take for their own', async (t) => {
  const base = await tempDir(t);
  const dir = join(base, `it's "a" [b]* {c} $1 %s ünï—🙂;--`);
  for (const symbol of ["O'NEIL[1]", 'A B', 'ÄÖ_Ü', 'x%;']) {
    for (const day of ['2024-03-01', '2024-03-02']) {
      await writeTrades(dir, `b_trades_${day}_${symbol}.csv.gz`, day, [1]);
      await writeTrades(dir, `sub'*/b_order_${day}_${symbol}.csv.gz`, day, [1, 2]);
    }
  }
  await convert(join(dir, "sub'*", 'b_order_2024-03-01_A B.csv.gz'));
  const { query } = await viewsOf(t, dir);
  assert.deepEqual(await query('SELECT count(*) FROM trades'), [[8]]);
  assert.deepEqual(await query('SELECT count(*), sum(amount::DOUBLE) FROM "order"'), [[16, 24]]);
});

for (const layout of ['flat', 'hive', '{exchange}/{type}/{symbol}/{year}/{month}/{day}']) {
  test(`names all files of the layout ${layout} by one glob, which leaves out other types`, async (t) => {
    const dir = await tempDir(t);
    for (const symbol of ['X', 'Y_trades_Z', 'SPOT'])
      for (const day of [1, 2])
        await writeTrades(dir, `b_trades_2024-03-0${day}_${symbol}.csv.gz`, `2024-03-0${day}`, [day]);
    const out = join(dir, 'out');
    await convert(dir, '-o', out, '--layout', layout, '--as', 'rows,trade_bar_1m,trade_bar_1s');
    const { query, sql } = await viewsOf(t, out);
    assert.equal(sql.match(/\.parquet'/g)?.length, 3, sql);
    assert.deepEqual(
      await query("SELECT count(*), sum(amount), count(*) FILTER (date = '2024-03-02') FROM trades"),
      [[6, 9, 3]],
    );
    assert.deepEqual(await query('SELECT count(*) FROM trade_bar_1s'), [[6]]);
  });
}

test('lists the files if a glob would match others', async (t) => {
  const dir = await tempDir(t);
  for (const day of [1, 2, 3])
    await writeTrades(dir, `b_trades_2024-03-0${day}_X.csv.gz`, `2024-03-0${day}`, [day]);
  await convert(join(dir, '*-01_X.csv.gz'), '--times', 'int');
  const { query, sql } = await viewsOf(t, dir);
  assert.deepEqual(await query('SELECT sum(amount) FROM trades'), [[6]]);
  assert.doesNotMatch(sql, /\*_|\?\?/);
});

test('opens only the files of the days in a condition', async (t) => {
  const dir = await tempDir(t);
  for (const day of [1, 2, 3])
    await writeTrades(dir, `b_trades_2024-03-0${day}_X.csv.gz`, `2024-03-0${day}`, [day]);
  await convert(dir, '--no-keep-source');
  const { query } = await viewsOf(t, dir);
  await writeFile(join(dir, 'b_trades_2024-03-02_X.parquet'), 'damaged');
  await assert.rejects(query('SELECT sum(amount) FROM trades'));
  assert.deepEqual(await query("SELECT sum(amount) FROM trades WHERE date = '2024-03-03'"), [[3]]);
});

test('takes days, types and conversions from the manifest if names do not state them', async (t) => {
  const dir = await tempDir(t);
  const csv = await writeDayFile(dir, 'trades', csvOf('trades', ROWS));
  const bars = join(dir, 'renamed.parquet');
  await convert(csv, '--as', 'trade_bar_1m');
  await rename(csv.replace('_trades_', '_trade_bar_1m_').replace('.csv.gz', '.parquet'), bars);
  await rename(csv, join(dir, 'plain.csv.gz'));
  const { query } = await viewsOf(t, dir);
  assert.deepEqual(await query('SELECT (SELECT sum(trades) FROM trade_bar_1m), count(*) FROM trades'), [
    [ROWS, ROWS],
  ]);
  assert.deepEqual(await query('SELECT DISTINCT date::VARCHAR FROM trades'), [['2024-03-01']]);
});

test('writes the SQL to a file, and its counts as JSON', async (t) => {
  const dir = await tempDir(t);
  await writeTrades(dir, 'b_trades_2024-03-01_X.csv.gz', '2024-03-01', [1]);
  const out = join(dir, 'new', 'views.sql');
  const printed = await runHere(['views', dir]);
  const written = await runHere(['views', '-o', out, '--json'], { env: { TICKHAUL_DIR: dir } });
  assert.deepEqual(JSON.parse(written.stdout), { path: out, views: 1, files: 1 });
  assert.equal(await readFile(out, 'utf8'), printed.stdout);
  const both = await runHere(['views', dir, '--json']);
  assert.equal(both.exitCode, 2);
});

test('refuses a file in place of a folder, and damaged files', async (t) => {
  const dir = await tempDir(t);
  const path = await writeTrades(dir, 'b_trades_2024-03-01_X.csv.gz', '2024-03-01', [1]);
  const file = await runHere(['views', path]);
  assert.deepEqual([file.exitCode, file.stderr], [2, `tickhaul: ${path} is a file; name a folder\n`]);
  await rm(path);
  await writeFile(join(dir, 'b_trades_2024-03-01_X.parquet'), 'not Parquet');
  await failedWith(runHere(['views', dir]), 6, /b_trades_2024-03-01_X\.parquet: not a complete Parquet file/);
  await rm(join(dir, 'b_trades_2024-03-01_X.parquet'));
  await writeFile(join(dir, 'b_trades_2024-03-01_X.csv.gz'), 'not gzip');
  await failedWith(runHere(['views', dir]), 6, /b_trades_2024-03-01_X\.csv\.gz: not a gzip file/);
});

storeTest('names the objects of a store, and how DuckDB gets access', async (t) => {
  const [dir, bucket] = await Promise.all([tempDir(t), bucketFor(t)]);
  const path = await writeDayFile(dir, 'trades', csvOf('trades', ROWS));
  await bucket.write('data/deribit_trades_2024-03-01_BTC-PERPETUAL.csv.gz', await readFile(path));
  const { stdout } = await succeeded(
    runHere(['views', `s3://${bucket.name}/data`], {
      env: bucket.envHere(),
    }),
  );
  assert.match(
    stdout,
    new RegExp(`'s3://${bucket.name}/data/deribit_trades_2024-03-01_BTC-PERPETUAL.csv.gz'`),
  );
  assert.match(
    stdout,
    new RegExp(`^-- CREATE OR REPLACE SECRET .*SCOPE 's3://${bucket.name}/data'.*URL_STYLE 'path'`, 'm'),
  );
});
