import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { duckOfFile } from '../../format/parquet/readers.js';
import {
  envOf,
  failedWith,
  type JsonLine,
  jsonLines,
  start,
  succeeded,
  tickhaul,
} from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { SOME_STALLED, sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tradesOf } from '../../helpers/selection.js';
import { nightlyTest, usualTest } from '../../helpers/services.js';
import { smallDisk } from '../../helpers/small-disk.js';
import { namesIn, tempDir } from '../../helpers/temp.js';

const WEEK = tradesOf('2024-03-01', '2024-03-08');
const PARQUET = ['--convert', 'parquet'];
const ONLY = [...PARQUET, '--no-keep-csv'];

const filesOf = (lines: readonly JsonLine[]): readonly JsonLine[] =>
  lines.filter(({ event }) => event === 'file');

const duck = duckOfFile();

/** The only row of a DuckDB result. */
const ask = async (sql: string): Promise<unknown[] | undefined> => (await duck.query(sql))[0];

const SUMS =
  'count(*), sum(price * amount), count(distinct id), min(epoch_us(local_timestamp)), max(epoch_us(timestamp))';

test('converts a week to Parquet and NDJSON that DuckDB reads like the CSV', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { rows: 1000 });
  const { exitCode, stdout, stderr } = await runHere(['download', ...WEEK, ...PARQUET, '--json'], { env });
  assert.equal(exitCode, 0, stderr);
  const lines = jsonLines({ exitCode, stdout, stderr });
  for (const { status, path, output, rows, bytes, md5Match } of filesOf(lines)) {
    assert.deepEqual([status, rows, md5Match], ['downloaded', 1000, true]);
    assert.equal((await readFile(join(dir, String(path)))).length, bytes);
    assert.ok(existsSync(join(dir, String(output))) && String(output).endsWith('.parquet'));
  }
  assert.equal(lines.at(-1)?.['downloaded'], 7);
  const csv = `(select * replace (make_timestamptz(timestamp) as timestamp, make_timestamptz(local_timestamp) as local_timestamp)
    from read_csv('${dir}/*.csv.gz', header = true, types = {'id': 'varchar', 'timestamp': 'bigint', 'local_timestamp': 'bigint', 'price': 'double', 'amount': 'double'}))`;
  const expected = await ask(`select ${SUMS} from ${csv}`);
  assert.equal(expected?.[0], 7000);
  assert.deepEqual(await ask(`select ${SUMS} from '${dir}/*.parquet'`), expected);

  const ndjson = ['--convert', 'ndjson', '--compression', 'gzip', '--no-keep-csv', '--json'];
  const converted = jsonLines(await runHere(['download', ...WEEK, ...ndjson], { env }));
  assert.deepEqual(
    new Set(filesOf(converted).map(({ status }) => status)),
    new Set(['converted']),
    'from the disk',
  );
  for (const { path, source } of filesOf(converted)) {
    assert.ok(existsSync(join(dir, String(path))) && String(path).endsWith('.ndjson.gz'));
    assert.ok(!existsSync(join(dir, String(source))));
  }
  assert.deepEqual(
    await ask(`select count(*), sum(price * amount) from '${dir}/*.ndjson.gz'`),
    expected?.slice(0, 2),
  );
  assert.equal((await namesIn(dir)).length, 14);
});

test('plan shows what the flags would do, and does nothing', async (t) => {
  const { env } = await sandboxAndFolder(t);
  const planned = async (args: readonly string[]): Promise<JsonLine | undefined> =>
    jsonLines(await runHere(['plan', ...WEEK, ...args, '--json'], { env })).at(-1);
  assert.equal((await planned(ONLY))?.['download'], 7);
  await runHere(['download', ...WEEK, ...ONLY], { env });
  assert.equal((await planned(ONLY))?.['skip'], 7);
  assert.equal((await planned(PARQUET))?.['download'], 7, 'the CSV is wanted, and is not there');
  assert.equal((await planned([]))?.['download'], 7);
  assert.equal((await planned([...ONLY, '--compression', 'gzip']))?.['download'], 7);
  const dry = jsonLines(await runHere(['download', '-n', ...WEEK, ...ONLY, '--json'], { env }));
  assert.equal(dry.at(-1)?.['skip'], 7);
  assert.ok(filesOf(dry).every(({ output }) => String(output).endsWith('.parquet')));
});

test('mistakes are found before any request', async (t) => {
  const { service, env } = await sandboxAndFolder(t);
  for (const [args, said] of [
    [['--no-keep-csv'], /--no-keep-csv needs --convert/],
    [['--row-group', '64k'], /--row-group needs --convert/],
    [['--as', 'trade_bar_1m'], /--as needs --convert/],
    [['--fill'], /--fill needs --convert/],
    [['--convert', 'pickle'], /--convert: "pickle" is not one of/],
    [['--convert', 'ndjson', '--compression', 'snappy'], /snappy: requires Parquet/],
    [
      ['--convert', 'csv', '--compression', 'gzip'],
      /--compression gzip: a converted CSV would have the name of a day file; use zstd or none/,
    ],
    [[...PARQUET, '--times', 'iso'], /--times iso: requires NDJSON/],
    [[...PARQUET, '--row-group', '0'], /--row-group: "0"/],
    [[...PARQUET, '--as', 'trade'], /--as: "trade" is not a computed type/],
    [
      [...PARQUET, '--as', 'trade_bar_1w'],
      /--as: "trade_bar_1w" is not a computed type; did you mean trade_bar_10080m/,
    ],
  ] as const) {
    await failedWith(runHere(['download', ...WEEK, ...args], { env }), 2, said);
  }
  assert.equal(service.requests.length, 0);
});

for (const flags of [PARQUET, ONLY]) {
  const declare = flags === ONLY ? usualTest : nightlyTest;
  declare(
    `after repeated SIGKILL with ${flags.join(' ')}, all files are complete and none was requested twice`,
    async (t) => {
      const service = await sandbox(t, { rows: 2000, redirect: true });
      const selection = [...WEEK, '-t', 'quotes', '--json'];
      const [dir, whole] = [await tempDir(t), await tempDir(t)];
      const env = envOf(service, dir);
      await runHere(['download', ...selection], { env: envOf(service, whole) });
      const sources = await namesIn(whole);
      assert.equal(sources.length, 14);
      let recorded = 0;
      for (const reported of [0, 2, 4]) {
        const { child, finished, printed } = start(['download', ...selection, ...flags], { env });
        // Other files in flight are in different states.
        await printed(new RegExp(`("status":"(downloaded|converted)"[^]*){${reported}}`)).catch(() => {});
        child.kill('SIGKILL');
        await finished;
        const text = await readFile(join(dir, '.tickhaul', 'manifest.jsonl'), 'utf8').catch(() => '');
        const lines = text.split('\n').filter((line) => line.endsWith('}'));
        const known = new Set(lines.map((line) => JSON.parse(line).path));
        assert.ok(known.size >= recorded, 'no record is lost');
        recorded = known.size;
      }
      const before = service.requests.length;
      await succeeded(runHere(['download', ...selection, ...flags], { env }));
      const asked = service.requests.slice(before).filter(({ host }) => host === 'datasets').length;
      assert.ok(asked <= 14 - recorded, `${asked} requests for ${14 - recorded} files`);

      const outputs = sources.map((name) => name.replace('csv.gz', 'parquet'));
      assert.deepEqual(await namesIn(dir), flags === ONLY ? outputs : [...sources, ...outputs].sort());
      for (const name of flags === ONLY ? [] : sources) {
        assert.deepEqual(await readFile(join(dir, name)), await readFile(join(whole, name)));
      }
      const rows = await ask(`select count(*) from read_csv('${whole}/*.csv.gz', union_by_name = true)`);
      assert.deepEqual(await ask(`select count(*) from '${dir}/*.parquet'`), rows);
      const again = jsonLines(await runHere(['download', ...selection, ...flags], { env }));
      assert.equal(again.at(-1)?.['skipped'], 14);
    },
  );
}

test('SIGINT ends with 130 and no partial conversion; the next run continues', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { ...SOME_STALLED, redirect: true, rows: 6000 });
  const { child, printed, finished } = start(['download', ...WEEK, ...ONLY, '--json', '--verbose'], { env });
  await printed('"event":"file"');
  child.kill('SIGINT');
  const first = await finished;
  assert.equal(first.exitCode, 130, first.stderr);
  assert.ok((await namesIn(dir)).every((name) => !name.endsWith('.parquet.part')));
  await succeeded(runHere(['download', ...WEEK, ...ONLY, '--json'], { env }));
  assert.equal((await namesIn(dir)).length, 7);
  assert.deepEqual(await ask(`select count(*) from '${dir}/*.parquet'`), [42_000]);
});

test('a disk full of conversions is code 8 without partial output; with free space, the next run completes', async (t) => {
  const disk = await smallDisk(t, '600k');
  if (!disk) return;
  const { dir } = disk;
  const service = await sandbox(t, { rows: 8000 });
  const env = { ...envOf(service, dir), XDG_CACHE_HOME: await tempDir(t) };
  await failedWith(tickhaul(['download', ...WEEK, ...PARQUET, '--json'], { env }), 8, /disk is full|free/);
  assert.ok((await namesIn(dir)).every((name) => !name.endsWith('.parquet.part')));
  disk.grow();
  await succeeded(runHere(['download', ...WEEK, ...PARQUET, '--quiet'], { env }));
  assert.equal((await namesIn(dir)).length, 14);
  assert.deepEqual(await ask(`select count(*) from '${dir}/*.parquet'`), [56_000]);
});
