import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expectedRows } from '../../convert/computed/rows.js';
import { csvOf, parquetRows, writeDayFile } from '../../convert/day-files.js';
import { failedWith, jsonLines, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { tradesOf } from '../../helpers/selection.js';
import { tempDir } from '../../helpers/temp.js';
import { lastLine, names, writeLargeFile } from './converting.js';

test('--json prints a plan, each file with the documented fields, and the summary last', async (t) => {
  const dir = await tempDir(t);
  for (const type of ['trades', 'quotes']) await writeDayFile(dir, type, csvOf(type, 20));
  await writeDayFile(dir, 'trades', 'junk', 'BAD');
  const first = await runHere(['convert', dir, '--json']);
  assert.equal(first.exitCode, 6, first.stderr);
  const [plan, ...rest] = jsonLines(first);
  assert.deepEqual(plan, { event: 'plan', files: 3 });
  const files = rest.slice(0, -1);
  const done = files.find((line) => line['dataType'] === 'quotes');
  const { path, source, bytes, seconds, ...others } = done ?? { event: '' };
  assert.deepEqual(others, {
    event: 'file',
    status: 'converted',
    exchange: 'deribit',
    dataType: 'quotes',
    symbol: 'BTC-PERPETUAL',
    date: '2024-03-01',
    rows: 20,
  });
  assert.equal(path, String(source).replace('.csv.gz', '.parquet'));
  assert.deepEqual([bytes, typeof seconds], [(await stat(String(path))).size, 'number']);
  const failed = files.find((line) => line['status'] === 'failed');
  const error = failed?.['error'] as Record<string, unknown>;
  assert.equal(error['code'], 'corrupt');
  assert.match(String(error['message']), /BAD\.csv\.gz: line 1, no header/);
  const summary = lastLine(first);
  assert.deepEqual(
    [summary['event'], summary['exitCode'], summary['converted'], summary['failed']],
    ['summary', 6, 2, 1],
  );
  const again = await runHere(['convert', dir, '--json']);
  assert.deepEqual([lastLine(again)['skipped'], lastLine(again)['converted']], [2, undefined]);
});

test('a common reason of all failures sets the exit code, several reasons are code 3', async (t) => {
  const dir = await tempDir(t);
  await writeDayFile(dir, 'trades', 'junk', 'BAD');
  const taken = await writeDayFile(dir, 'trades', csvOf('trades', 3), 'TAKEN');
  await mkdir(taken.replace('csv.gz', 'parquet'));
  const { stderr } = await failedWith(runHere(['convert', dir]), 3, /failed .*BAD\.csv\.gz: line 1/);
  assert.match(stderr, /failed .*TAKEN\.parquet: a folder has the name/);
  assert.match(stderr, /2 failed in/);
});

test('paths that match nothing are usage errors', async (t) => {
  const dir = await tempDir(t);
  await writeFile(join(dir, 'notes.txt'), 'x');
  for (const [path, said] of [
    [dir, /: no day files and no manifest$/m],
    [join(dir, 'nowhere'), /nowhere: no such file or folder/],
    [join(dir, '*.csv.gz'), /\*\.csv\.gz: matches no \.csv\.gz file/],
  ] as const) {
    await failedWith(runHere(['convert', path]), 2, said);
  }
});

const MISTAKES: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /an argument is missing/],
  [['--format', 'pickle'], /--format: "pickle" is not one of/],
  [['--type', 'trade'], /--type: there is no day file of data type "trade"; did you mean trades\?/],
  [['--type', 'zzz'], /--type: there is no day file of data type "zzz"; there is trades\n/],
  [['--as', 'trade_bar_1w'], /--as: "trade_bar_1w" is not a computed type; did you mean trade_bar_10080m/],
  [['--layout', '../x'], /--layout/],
  [['--times', 'iso'], /--times iso: requires NDJSON/],
  [['-f', 'ndjson', '--compression', 'snappy'], /snappy: requires Parquet/],
  [['-f', 'ndjson', '--row-group', '5'], /--row-group: requires Parquet/],
  [['--row-group', '0'], /--row-group: "0"/],
  [['--row-group', '2000k'], /--row-group: "2000k"/],
  [['--jobs', '0'], /--jobs/],
  [['--nosuch'], /unknown flag --nosuch/],
  [['-o', '-', '-f', 'parquet'], /-o - writes NDJSON/],
  [['-o', '-', '--json'], /--json and -o - cannot be combined/],
  [['-o', '-', '--no-keep-source'], /--no-keep-source and -o -/],
  [['-o', '-', '--existing', 'skip'], /--existing has no effect/],
];

for (const [args, message] of MISTAKES) {
  test(`a mistake is found before any work: convert ${args.join(' ')}`, async (t) => {
    const dir = await tempDir(t);
    const words = args.length === 0 ? [] : [await writeDayFile(dir, 'trades', csvOf('trades', 3))];
    const { exitCode, stderr } = await runHere(['convert', ...words, ...args]);
    assert.equal(exitCode, 2);
    assert.equal((await names(dir)).length, words.length, 'nothing is made');
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  });
}

test('an unreadable source fails alone', async (t) => {
  // Its first byte cannot be read, even by root.
  const unreadable = '/proc/self/mem';
  if (!existsSync(unreadable)) {
    t.skip('no such file here');
    return;
  }
  const dir = await tempDir(t);
  const good = await writeDayFile(dir, 'trades', csvOf('trades', 3));
  const finished = await tickhaul(['convert', unreadable, good, '-o', dir, '-j', '1', '--json']);
  assert.equal(finished.exitCode, 8, finished.stderr);
  const [failed, done] = jsonLines(finished).slice(1);
  assert.deepEqual([failed?.['source'], done?.['status']], [unreadable, 'converted']);
  assert.match(JSON.stringify(failed), /unreadable.*cannot read \/proc\/self\/mem/);
  assert.equal((await names(dir)).length, 2);
});

test('the manifest identifies day files whose names do not', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const selection = tradesOf('2024-03-01');
  await runHere(['download', ...selection, '--layout', '{exchange}/{type}/{symbol}/{date}'], { env });
  const out = join(dir, 'out');
  await succeeded(runHere(['convert', dir, '-o', out, '--layout', 'hive', '--json'], { env }));
  const folder = join(
    out,
    'exchange=binance-futures/data_type=trades/dataset_symbol=BTCUSDT/date=2024-03-01',
  );
  assert.deepEqual(await names(folder), ['binance-futures_trades_2024-03-01_BTCUSDT.parquet']);
});

test('rewrites a truncated NDJSON file', async (t) => {
  const dir = await tempDir(t);
  const source = await writeDayFile(dir, 'trades', csvOf('trades', 50));
  const output = source.replace('csv.gz', 'ndjson.gz');
  const args = ['convert', dir, '-f', 'ndjson', '--compression', 'gzip', '--json'];
  await runHere(args);
  const whole = await readFile(output);
  await writeFile(output, whole.subarray(0, 100));
  assert.equal(lastLine(await runHere(args))['converted'], 1);
  assert.equal(
    gunzipSync(await readFile(output))
      .toString()
      .split('\n').length,
    51,
  );
  await copyFile(source, join(dir, 'other.csv.gz'));
  assert.equal(lastLine(await runHere(args))['skipped'], 1);
});

test('the header identifies a quoted file with another name', async (t) => {
  const dir = await tempDir(t);
  const source = join(dir, 'some.csv.gz');
  const [header = '', ...lines] = csvOf('trades', 5).split('\n');
  const quoted = header
    .split(',')
    .map((name) => `"${name}"`)
    .join(',');
  await writeFile(source, gzipSync([quoted, ...lines].join('\n')));
  const { stderr } = await succeeded(runHere(['convert', source]));
  assert.doesNotMatch(stderr, /warning/);
  const rows = await parquetRows(await readFile(join(dir, 'some.parquet')));
  assert.equal(typeof rows[0]?.['price'], 'number');
});

test('-s converts only some symbols, to files and to stdout', async (t) => {
  const dir = await tempDir(t);
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) await writeDayFile(dir, 'trades', csvOf('trades', 2), symbol);
  await writeFile(join(dir, 'nobody-knows.csv.gz'), '');
  await succeeded(runHere(['convert', dir, '-s', 'btc*']));
  assert.deepEqual(
    (await names(dir)).filter((name) => name.endsWith('.parquet')),
    ['deribit_trades_2024-03-01_BTCUSDT.parquet'],
  );
  const { stdout } = await runHere(['convert', dir, '-s', 'ETHUSDT', '-o', '-']);
  assert.equal(stdout.split('\n').length, 3);
  const { exitCode, stderr } = await runHere(['convert', dir, '-s', 'ETHUSD']);
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /no day file of symbol "ETHUSD"; did you mean ETHUSDT\?/);
});

test('--as emits an event per output, then skips all', async (t) => {
  const dir = await tempDir(t);
  for (const symbol of ['A', 'B', 'C']) await writeDayFile(dir, 'trades', csvOf('trades', 200), symbol);
  await writeDayFile(dir, 'quotes', csvOf('quotes', 5));
  const args = ['convert', dir, '--as', 'trade_bar_1m,trade_bar_100ticks', '--json'];
  const first = await succeeded(runHere(args));
  const files = jsonLines(first).filter(({ event }) => event === 'file');
  assert.deepEqual(
    files.map((file) => [file['status'], String(file['source']).endsWith('.csv.gz')]),
    Array(6).fill(['converted', true]),
  );
  assert.match(first.stderr, /skipping .*_quotes_/);
  const second = await runHere(args);
  assert.deepEqual(
    [jsonLines(second).at(-1)?.['skipped'], jsonLines(second).at(-1)?.['converted']],
    [6, undefined],
  );
});

test('--as with -o - writes one type, one row per line', async (t) => {
  const dir = await tempDir(t);
  const csv = csvOf('incremental_book_L2', 500);
  await writeDayFile(dir, 'incremental_book_L2', csv);
  await writeDayFile(dir, 'trades', csvOf('trades', 5));
  const { stdout, stderr } = await succeeded(runHere(['convert', dir, '--as', 'quote_1s', '-o', '-']));
  const expected = expectedRows('quote_1s', csv).map((row) => `${JSON.stringify(row)}\n`);
  assert.ok(expected.length > 0);
  assert.equal(stdout, expected.join(''));
  assert.match(stderr, /skipping .*_trades_/);
  await failedWith(runHere(['convert', dir, '--as', 'quote_1s,rows', '-o', '-']), 2, /only one name of --as/);
});

test('-o - writes the rows of all files to stdout, and nothing else', async (t) => {
  const dir = await tempDir(t);
  for (const symbol of ['A', 'B']) await writeDayFile(dir, 'trades', csvOf('trades', 700), symbol);
  await succeeded(runHere(['convert', dir, '-f', 'ndjson', '--times', 'iso']));
  const written = await Promise.all(
    ['A', 'B'].map((symbol) => readFile(join(dir, `deribit_trades_2024-03-01_${symbol}.ndjson`), 'utf8')),
  );
  const stream = await succeeded(tickhaul(['convert', dir, '-o', '-', '--times', 'iso']));
  assert.equal(stream.stdout, written.join(''));

  await writeDayFile(dir, 'trades', 'junk', 'AA');
  const broken = await tickhaul(['convert', dir, '-o', '-', '--times', 'iso']);
  assert.equal(broken.exitCode, 6);
  assert.equal(broken.stdout, written.join(''), 'the others go on');
  assert.match(broken.stderr, /AA\.csv\.gz: line 1/);
});

test('-o - of a large file equals the file, with one thread and with two', async (t) => {
  const dir = await tempDir(t);
  const source = await writeLargeFile(dir, 'A', 4);
  await succeeded(tickhaul(['convert', source, '-f', 'ndjson', '-j', '2']));
  const script = `"$0" "$@" | cmp - ${source.replace('csv.gz', 'ndjson')}; echo "\${PIPESTATUS[*]}"`;
  for (const jobs of ['1', '2']) {
    const command = ['bash', '-c', script, process.execPath];
    const { stdout, stderr } = await tickhaul(['convert', source, '-o', '-', '-j', jobs], { command });
    assert.equal(stdout, '0 0\n', stderr);
  }
});

test('a reader that leaves is a normal end of -o -, with one thread and with two', async (t) => {
  const dir = await tempDir(t);
  const source = await writeLargeFile(dir, 'A', 20);
  const script = `"$0" "$@" | head -n 1; echo "\${PIPESTATUS[0]}"`;
  for (const jobs of ['1', '2']) {
    const command = ['bash', '-c', script, process.execPath];
    const { stdout, stderr } = await tickhaul(['convert', source, '-o', '-', '-j', jobs], { command });
    assert.match(stdout, /^\{"exchange":"deribit".*\}\n0\n$/);
    // A line of progress may be between them.
    assert.match(
      stderr,
      /^1 file planned: 1 to convert\n(?:.*\n)?stdout: the reader closed it after [\d.]+ kB\n$/,
    );
  }
});
