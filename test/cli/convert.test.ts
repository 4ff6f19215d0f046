import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { parquetMetadata } from 'hyparquet';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { parse } from '../../src/cli/parser.js';
import { csvOf, parquetRows, writeDayFile } from '../convert/day-files.js';
import { envOf, type Finished, jsonLines, start, tickhaul } from '../helpers/cli.js';
import { sandbox } from '../helpers/sandbox.js';
import { smallDisk } from '../helpers/small-disk.js';
import { tempDir } from '../helpers/temp.js';

const names = async (dir: string): Promise<string[]> => (await readdir(dir)).sort();
const parts = async (dir: string): Promise<string[]> =>
  (await readdir(dir, { recursive: true })).filter((name) => name.endsWith('.part'));
const lastLine = (finished: Finished): Record<string, unknown> => jsonLines(finished).at(-1) ?? { event: '' };
const rowsIn = async (path: string): Promise<number> =>
  Number(parquetMetadata(Uint8Array.from(await readFile(path)).buffer).num_rows);

const LARGE_ROWS = 50_000;

/** A day file that takes a while: the same rows over and over. */
async function writeLargeFile(dir: string, symbol: string, times: number): Promise<string> {
  const bytes = repeated(csvOf('incremental_book_L2', LARGE_ROWS), times);
  return writeDayFile(dir, 'incremental_book_L2', bytes, symbol);
}

function repeated(csv: string, times: number): Buffer {
  const [header = '', ...lines] = csv.split(/(?<=\n)/);
  const block = gzipSync(lines.join(''), { level: 1 });
  return Buffer.concat([gzipSync(header), ...Array<Buffer>(times).fill(block)]);
}

test('--json: a plan, each file with the contract’s fields, the summary last', async (t) => {
  const dir = await tempDir(t);
  for (const type of ['trades', 'quotes']) await writeDayFile(dir, type, csvOf(type, 20));
  await writeDayFile(dir, 'trades', 'junk', 'BAD');
  const first = await tickhaul(['convert', dir, '--json']);
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
  const again = await tickhaul(['convert', dir, '--json']);
  assert.deepEqual([lastLine(again)['skipped'], lastLine(again)['converted']], [2, undefined]);
});

test('one common reason names the exit code, several are 3', async (t) => {
  const dir = await tempDir(t);
  await writeDayFile(dir, 'trades', 'junk', 'BAD');
  const taken = await writeDayFile(dir, 'trades', csvOf('trades', 3), 'TAKEN');
  await mkdir(taken.replace('csv.gz', 'parquet'));
  const { exitCode, stderr } = await tickhaul(['convert', dir]);
  assert.equal(exitCode, 3, stderr);
  assert.match(stderr, /failed .*BAD\.csv\.gz: line 1/);
  assert.match(stderr, /failed .*TAKEN\.parquet: a folder stands/);
  assert.match(stderr, /2 failed in/);
});

test('a folder without day files is done at once; paths that name nothing are mistakes', async (t) => {
  const dir = await tempDir(t);
  await writeFile(join(dir, 'notes.txt'), 'x');
  const none = await tickhaul(['convert', dir, '--json']);
  assert.equal(none.exitCode, 0);
  assert.deepEqual(jsonLines(none)[0], { event: 'plan', files: 0 });
  for (const [path, said] of [
    [join(dir, 'nowhere'), /nowhere: there is no such file or folder/],
    [join(dir, '*.csv.gz'), /\*\.csv\.gz: no \.csv\.gz file matches/],
  ] as const) {
    const { exitCode, stderr } = await tickhaul(['convert', path]);
    assert.equal(exitCode, 2);
    assert.match(stderr, said);
  }
});

const MISTAKES: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /an argument is missing/],
  [['--format', 'csv'], /--format: "csv" is not one of/],
  [['--type', 'trade'], /--type: "trade" is not a data type .*did you mean trades\?/],
  [['--type', 'zzz'], /known are trades, incremental_book_L2/],
  [['--times', 'iso'], /--times iso is for NDJSON/],
  [['-f', 'ndjson', '--compression', 'snappy'], /snappy is for Parquet/],
  [['-f', 'ndjson', '--row-group', '5'], /--row-group is for Parquet/],
  [['--row-group', '0'], /--row-group: "0"/],
  [['--row-group', '2000k'], /--row-group: "2000k"/],
  [['--jobs', '0'], /--jobs/],
  [['--nosuch'], /unknown flag --nosuch/],
  [['-o', '-', '-f', 'parquet'], /-o - writes NDJSON/],
  [['-o', '-', '--json'], /--json and -o - don't go together/],
  [['-o', '-', '--no-keep-source'], /--no-keep-source and -o -/],
  [['-o', '-', '--existing', 'skip'], /--existing is of no use/],
];

for (const [args, message] of MISTAKES) {
  test(`a mistake, found before anything is done: convert ${args.join(' ')}`, async (t) => {
    const dir = await tempDir(t);
    const words = args.length === 0 ? [] : [await writeDayFile(dir, 'trades', csvOf('trades', 3))];
    await assert.rejects(runHere(['convert', ...words, ...args]), { code: 'usage', message });
  });
}

/** Runs a command in this process; mistakes in its flags are thrown. */
async function runHere(words: readonly string[]): Promise<number> {
  const parsed = await parse(COMMANDS, words, 80);
  assert.equal(parsed.kind, 'run');
  const screen = { write: () => assert.fail('nothing is to be said') };
  return parsed.command.run(parsed.args, {
    env: {},
    stdin: Readable.from([]),
    stdout: screen,
    stderr: screen,
    dataOut: new PassThrough(),
    signal: new AbortController().signal,
    home: '/nonexistent',
    pid: process.pid,
    host: 'here',
    commandLine: words.join(' '),
    isAlive: () => false,
  });
}

test('a mistake is told in one line, with code 2', async (t) => {
  const source = await writeDayFile(await tempDir(t), 'trades', csvOf('trades', 3));
  for (const args of [
    ['--type', 'trade'],
    ['--layout', '../x'],
  ]) {
    const { exitCode, stderr } = await tickhaul(['convert', source, ...args]);
    assert.equal(exitCode, 2, stderr);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    assert.equal(existsSync(source.replace('csv.gz', 'parquet')), false);
  }
});

test('-o - writes all rows of all files to stdout, and nothing else', async (t) => {
  const dir = await tempDir(t);
  for (const symbol of ['A', 'B']) await writeDayFile(dir, 'trades', csvOf('trades', 700), symbol);
  const files = await tickhaul(['convert', dir, '-f', 'ndjson', '--times', 'iso']);
  assert.equal(files.exitCode, 0, files.stderr);
  const written = await Promise.all(
    ['A', 'B'].map((symbol) => readFile(join(dir, `deribit_trades_2024-03-01_${symbol}.ndjson`), 'utf8')),
  );
  const stream = await tickhaul(['convert', dir, '-o', '-', '--times', 'iso']);
  assert.equal(stream.exitCode, 0, stream.stderr);
  assert.equal(stream.stdout, written.join(''));

  await writeDayFile(dir, 'trades', 'junk', 'AA');
  const broken = await tickhaul(['convert', dir, '-o', '-', '--times', 'iso']);
  assert.equal(broken.exitCode, 6);
  assert.equal(broken.stdout, written.join(''), 'the others go on');
  assert.match(broken.stderr, /AA\.csv\.gz: line 1/);
});

test('-o - of a large file gives the bytes of a file, from one thread and from two', async (t) => {
  const dir = await tempDir(t);
  const source = await writeLargeFile(dir, 'A', 12);
  const file = await tickhaul(['convert', source, '-f', 'ndjson', '-j', '2']);
  assert.equal(file.exitCode, 0, file.stderr);
  const script = `"$0" "$@" | cmp - ${source.replace('csv.gz', 'ndjson')}; echo "\${PIPESTATUS[*]}"`;
  for (const jobs of ['1', '2']) {
    const command = ['bash', '-c', script, process.execPath];
    const { stdout, stderr } = await tickhaul(['convert', source, '-o', '-', '-j', jobs], { command });
    assert.equal(stdout, '0 0\n', stderr);
  }
});

test('-o - and a reader that leaves: a normal end, in one thread and in two', async (t) => {
  const dir = await tempDir(t);
  const source = await writeLargeFile(dir, 'A', 20);
  const script = `"$0" "$@" | head -n 1; echo "\${PIPESTATUS[0]}"`;
  for (const jobs of ['1', '2']) {
    const command = ['bash', '-c', script, process.execPath];
    const { stdout, stderr } = await tickhaul(['convert', source, '-o', '-', '-j', jobs], { command });
    assert.match(stdout, /^\{"exchange":"deribit".*\}\n0\n$/);
    assert.equal(stderr, '1 file planned: 1 to convert\n');
  }
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} in the middle: code ${code}, a summary, nothing half made`, async (t) => {
    const dir = await tempDir(t);
    const out = join(dir, 'out');
    for (const symbol of ['A', 'B', 'C']) await writeLargeFile(dir, symbol, symbol === 'A' ? 1 : 100);
    const { child, printed, finished } = start(['convert', dir, '-o', out, '-j', '2', '--json']);
    await printed('"event":"file"');
    child.kill(signal);
    const { exitCode, stdout, stderr } = await finished;
    assert.equal(exitCode, code, stderr);
    const summary = lastLine({ exitCode, stdout, stderr });
    assert.deepEqual([summary['converted'], summary['unfinished']], [1, 2]);
    assert.deepEqual(await names(out), ['deribit_incremental_book_L2_2024-03-01_A.parquet']);
  });
}

test('SIGKILL in the middle, then a run that clears the part away and completes', async (t) => {
  const dir = await tempDir(t);
  const out = join(dir, 'out');
  for (const symbol of ['A', 'B']) await writeLargeFile(dir, symbol, symbol === 'A' ? 1 : 40);
  const { child, printed, finished } = start(['convert', dir, '-o', out, '-j', '2', '--json']);
  await printed('"event":"file"');
  child.kill('SIGKILL');
  await finished;
  assert.equal((await parts(out)).length, 1);
  const { exitCode, stderr, stdout } = await tickhaul(['convert', dir, '-o', out, '--json']);
  assert.equal(exitCode, 0, stderr);
  const summary = lastLine({ exitCode, stdout, stderr });
  assert.deepEqual([summary['skipped'], summary['converted']], [1, 1]);
  assert.equal((await names(out)).length, 2);
  assert.equal(await rowsIn(join(out, 'deribit_incremental_book_L2_2024-03-01_B.parquet')), 40 * LARGE_ROWS);
});

test('two runs at once over one folder leave whole files and no part', async (t) => {
  const dir = await tempDir(t);
  const symbols = ['A', 'B', 'C', 'D'];
  for (const symbol of symbols) await writeLargeFile(dir, symbol, 2);
  const both = await Promise.all([1, 2].map(() => tickhaul(['convert', dir, '-j', '1', '--json'])));
  for (const finished of both) {
    const codes = jsonLines(finished).flatMap(
      (line) => (line['error'] as { code: string } | undefined)?.code ?? [],
    );
    assert.ok(
      codes.every((code) => code === 'locked'),
      finished.stderr,
    );
    assert.equal(finished.exitCode, codes.length > 0 ? 9 : 0);
  }
  assert.deepEqual(await parts(dir), []);
  for (const symbol of symbols) {
    const path = join(dir, `deribit_incremental_book_L2_2024-03-01_${symbol}.parquet`);
    assert.equal(await rowsIn(path), 2 * LARGE_ROWS);
  }
});

test('a full disk ends the run with code 8, said once, and leaves nothing half made', async (t) => {
  const dir = await tempDir(t);
  const disk = await smallDisk(t, '300k');
  if (!disk) return;
  const { dir: out } = disk;
  for (const symbol of ['A', 'B', 'C', 'D', 'E']) await writeLargeFile(dir, symbol, 2);
  const finished = await tickhaul(['convert', dir, '-o', out, '-j', '1']);
  assert.equal(finished.exitCode, 8, finished.stderr);
  assert.equal(finished.stderr.match(/the disk is full/g)?.length, 1, finished.stderr);
  assert.match(finished.stderr, /1 failed, \d unfinished/);
  assert.deepEqual(await parts(out), []);
  disk.grow();
  assert.equal((await tickhaul(['convert', dir, '-o', out, '--quiet'])).exitCode, 0);
  assert.equal((await names(out)).length, 5);
});

test('a file that grows past the limit for files ends with code 8', async (t) => {
  const dir = await tempDir(t);
  const source = await writeLargeFile(dir, 'A', 4);
  // In blocks of 512 or 1024 bytes: less than the output.
  const command = ['sh', '-c', 'ulimit -f 100; exec "$0" "$@"', process.execPath];
  for (const jobs of ['1', '2']) {
    const { exitCode, stderr } = await tickhaul(['convert', source, '-j', jobs], { command });
    assert.equal(exitCode, 8, stderr);
    assert.match(stderr, /\.parquet\.part: the file is larger than the limit/);
    assert.equal((await names(dir)).length, 1);
  }
  const stream = await tickhaul(['convert', source, '-o', '-'], {
    command: ['sh', '-c', `ulimit -f 100; exec "$0" "$@" > ${join(dir, 'rows')}`, process.execPath],
  });
  assert.equal(stream.exitCode, 8, stream.stderr);
});

test('one file of 104 columns stays below 400 MB in two threads', async (t) => {
  if (!existsSync('/proc/self/status')) {
    t.skip('no way to see the peak of a process here');
    return;
  }
  const dir = await tempDir(t);
  const bytes = repeated(csvOf('book_snapshot_25', 5000), 40);
  const source = await writeDayFile(dir, 'book_snapshot_25', bytes);
  const { child, finished } = start(['convert', source, '-j', '2', '--json']);
  let peak = 0;
  const look = setInterval(() => {
    // Gone once the process has ended.
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? peak);
  }, 50);
  child.on('exit', () => clearInterval(look));
  const { exitCode, stderr, stdout } = await finished;
  assert.equal(exitCode, 0, stderr);
  assert.equal(jsonLines({ exitCode, stdout, stderr })[1]?.['rows'], 200_000);
  assert.ok(peak > 50_000 && peak < 400_000, `${peak} kB`);
});

test('a source that can’t be read fails alone', async (t) => {
  // Its first byte can't be read, by root neither.
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
  assert.match(JSON.stringify(failed), /unreadable.*\/proc\/self\/mem: can't be read/);
  assert.equal((await names(dir)).length, 2);
});

test('where names tell nothing, the manifest of the download says which day file it is', async (t) => {
  const service = await sandbox(t);
  const dir = await tempDir(t);
  const env = envOf(service, dir);
  const selection = ['binance-futures', '-t', 'trades', '-s', 'BTCUSDT', '--date', '2024-03-01'];
  await tickhaul(['download', ...selection, '--layout', '{exchange}/{type}/{symbol}/{date}'], { env });
  const out = join(dir, 'out');
  const finished = await tickhaul(['convert', dir, '-o', out, '--layout', 'hive', '--json'], { env });
  assert.equal(finished.exitCode, 0, finished.stderr);
  const folder = join(out, 'exchange=binance-futures/type=trades/symbol=BTCUSDT/date=2024-03-01');
  assert.deepEqual(await names(folder), ['binance-futures_trades_2024-03-01_BTCUSDT.parquet']);
});

test('an NDJSON that somebody cut is made anew', async (t) => {
  const dir = await tempDir(t);
  const source = await writeDayFile(dir, 'trades', csvOf('trades', 50));
  const output = source.replace('csv.gz', 'ndjson.gz');
  const args = ['convert', dir, '-f', 'ndjson', '--compression', 'gzip', '--json'];
  await tickhaul(args);
  const whole = await readFile(output);
  await writeFile(output, whole.subarray(0, 100));
  assert.equal(lastLine(await tickhaul(args))['converted'], 1);
  assert.equal(
    gunzipSync(await readFile(output))
      .toString()
      .split('\n').length,
    51,
  );
  await copyFile(source, join(dir, 'other.csv.gz'));
  assert.equal(lastLine(await tickhaul(args))['skipped'], 1);
});

test('a quoted file without a telling name is known by its header', async (t) => {
  const dir = await tempDir(t);
  const source = join(dir, 'some.csv.gz');
  const [header = '', ...lines] = csvOf('trades', 5).split('\n');
  const quoted = header
    .split(',')
    .map((name) => `"${name}"`)
    .join(',');
  await writeFile(source, gzipSync([quoted, ...lines].join('\n')));
  const { exitCode, stderr } = await tickhaul(['convert', source]);
  assert.equal(exitCode, 0, stderr);
  assert.doesNotMatch(stderr, /warning/);
  const rows = await parquetRows(await readFile(join(dir, 'some.parquet')));
  assert.equal(typeof rows[0]?.['price'], 'number');
});
