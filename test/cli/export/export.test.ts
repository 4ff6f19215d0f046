import assert from 'node:assert/strict';
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { csvOf, writeDayFile } from '../../convert/day-files.js';
import { readRows } from '../../export/hftbacktest/read-npz.js';
import { type Finished, failedWith, jsonLines, start, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { writeHugeFile, writeLargeFile } from '../convert/converting.js';
import { arraysIn, downloadDays, resultsOf, SERIES } from './exporting.js';

const FIRST = 'deribit_2024-03-01_BTC-PERPETUAL.npz';
const SECOND = 'deribit_2024-03-02_BTC-PERPETUAL.npz';
const TRADES = 'deribit_trades_2024-03-01_BTC-PERPETUAL.csv.gz';
const BOOK = 'deribit_incremental_book_L2_2024-03-01_BTC-PERPETUAL.csv.gz';

test('an export is skipped until its sources or settings change', async (t) => {
  const { dir, env } = await downloadDays(t, 2);
  const out = join(dir, 'npz');
  const run = async (...more: readonly string[]) =>
    resultsOf(await runHere(['export', 'hftbacktest', dir, '-o', out, '--json', ...more], { env }));
  const converted = [`converted ${FIRST}`, `converted ${SECOND}`];
  const skipped = [`skipped ${FIRST}`, `skipped ${SECOND}`];
  assert.deepEqual(await run(), [converted, 0]);
  assert.deepEqual(await run(), [skipped, 0]);
  assert.deepEqual(await run('--existing', 'overwrite'), [converted, 0]);
  assert.deepEqual(await run('--base-latency', '5us'), [converted, 0]);
  // The same bytes with another time of change: read, and found to be the same.
  await utimes(join(dir, TRADES), 1, 1);
  assert.deepEqual(await run('--base-latency', '5us'), [skipped, 0]);
  const text = gunzipSync(await readFile(join(dir, TRADES)))
    .toString()
    .split('\n');
  await writeFile(join(dir, TRADES), gzipSync(text.slice(0, 100).join('\n')));
  const { size } = await stat(join(out, FIRST));
  assert.deepEqual(await run('--base-latency', '5us'), [[`converted ${FIRST}`, `skipped ${SECOND}`], 0]);
  assert.ok((await stat(join(out, FIRST))).size < size);
  await rm(join(out, SECOND));
  assert.deepEqual(await run('--base-latency', '5us'), [[`converted ${SECOND}`, `skipped ${FIRST}`], 0]);
});

test('a corrupt source fails its own export only, and leaves the former output', async (t) => {
  const { dir, env } = await downloadDays(t, 2);
  const out = join(dir, 'npz');
  const words = ['export', 'hftbacktest', dir, '-o', out, '--json'];
  await succeeded(runHere(words, { env }));
  const before = await readFile(join(out, FIRST));
  const whole = await readFile(join(dir, BOOK));
  await writeFile(join(dir, BOOK), whole.subarray(0, whole.length - 100));
  const failed = await runHere([...words, '--existing', 'overwrite'], { env });
  assert.deepEqual(resultsOf(failed), [[`converted ${SECOND}`, `failed ${BOOK}`], 6]);
  assert.match(failed.stdout, /the gzip stream ends early.*download the file again/);
  assert.deepEqual(await readFile(join(out, FIRST)), before);
  assert.deepEqual(await arraysIn(out), [FIRST, SECOND]);
});

/** Changes one byte of a file. */
async function damage(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[200] = (bytes[200] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

test('verify names the remedy of bad exports, and --repair makes the next export write them again', async (t) => {
  const { dir, env } = await downloadDays(t, 2);
  const out = join(dir, 'npz');
  const exportAll = async () =>
    resultsOf(await runHere(['export', 'hftbacktest', dir, '-o', out, '--json'], { env }));
  const verify = (...flags: readonly string[]) => runHere(['verify', out, ...flags], { env });
  await exportAll();
  await damage(join(out, FIRST));
  const bad = `corrupt ${FIRST}: its sha256 is not the recorded one; tickhaul export hftbacktest … --existing overwrite writes it again`;
  const linesOf = ({ stderr }: Finished): readonly string[] =>
    stderr
      .trimEnd()
      .split('\n')
      .filter((line) => !/ planned: | in [^ ]+$/.test(line));
  const checked = await verify();
  assert.equal(checked.exitCode, 6);
  assert.deepEqual(linesOf(checked), [
    bad,
    'tickhaul verify --repair makes the next export write bad files again',
  ]);
  assert.deepEqual(await exportAll(), [[`skipped ${FIRST}`, `skipped ${SECOND}`], 0]);
  const repaired = await verify('--repair');
  assert.equal(repaired.exitCode, 6);
  assert.deepEqual(linesOf(repaired), [bad, 'the next export writes 1 bad file again']);
  assert.deepEqual(await exportAll(), [[`converted ${FIRST}`, `skipped ${SECOND}`], 0]);
  assert.equal((await verify()).exitCode, 0);
  await rm(join(out, SECOND));
  assert.deepEqual(linesOf(await verify('--repair')), [
    `missing ${SECOND}: is missing; the next export writes it again`,
    'tickhaul verify --forget removes deliberately deleted files from the manifest',
  ]);
});

test('verify compares exports with their log, and forgets those that were deleted', async (t) => {
  const { dir, env } = await downloadDays(t, 2);
  const out = join(dir, 'npz');
  const run = async (...words: readonly string[]) => {
    const [results, exitCode] = resultsOf(await runHere([...words, '--json'], { env }));
    return [results.filter((result) => !result.endsWith('.json')), exitCode];
  };
  const exportAll = ['export', 'hftbacktest', dir, '-o', out];
  await run(...exportAll);
  assert.deepEqual(await run('verify', out), [[`verified ${FIRST}`, `verified ${SECOND}`], 0]);
  assert.deepEqual(await run('verify', join(out, FIRST), '--quick'), [[`verified ${FIRST}`], 0]);
  await damage(join(out, FIRST));
  await rm(join(out, SECOND));
  assert.deepEqual(await run('verify', out), [[`corrupt ${FIRST}`, `missing ${SECOND}`], 6]);
  assert.deepEqual(await run('verify', out, '--forget'), [[`corrupt ${FIRST}`, `forgotten ${SECOND}`], 6]);
  assert.deepEqual(await run('verify', out), [[`corrupt ${FIRST}`], 6]);
  // An export compares sizes only, so a damaged file is written again on request.
  assert.deepEqual(await run(...exportAll, '--existing', 'overwrite'), [
    [`converted ${FIRST}`, `converted ${SECOND}`],
    0,
  ]);
  assert.deepEqual(await run('verify', out), [[`verified ${FIRST}`, `verified ${SECOND}`], 0]);
});

test('shards export each day once', async (t) => {
  const { dir, env } = await downloadDays(t, 4);
  const exported: string[] = [];
  for (const shard of ['0/2', '1/2']) {
    const words = ['export', 'hftbacktest', dir, '-o', join(dir, 'npz'), '--shard', shard, '--json'];
    const [results, exitCode] = resultsOf(await runHere(words, { env }));
    assert.equal(exitCode, 0);
    exported.push(...results);
  }
  assert.deepEqual(
    exported.sort(),
    [1, 2, 3, 4].map((day) => `converted deribit_2024-03-0${day}_BTC-PERPETUAL.npz`),
  );
});

test('a selection of days, symbols and exchanges is exported', async (t) => {
  const { dir, env } = await downloadDays(t, 3);
  const base = ['export', 'hftbacktest', dir, '-o', join(dir, 'npz'), '--json'];
  const days = await runHere([...base, '--from', '2024-03-02', '--to', '2024-03-03'], { env });
  assert.deepEqual(resultsOf(days), [[`converted ${SECOND}`], 0]);
  const unknown = await runHere([...base, '-s', 'BTC-PERPETUA'], { env });
  assert.equal(unknown.exitCode, 2);
  assert.match(unknown.stdout, /no day file of symbol \\"BTC-PERPETUA\\"; did you mean BTC-PERPETUAL/);
});

test('day files of other types only are no export, but a usage error that names the types', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const series = ['deribit', '-t', 'trades,quotes', '-s', 'BTC-PERPETUAL', '--date', '2024-03-01'];
  assert.equal((await runHere(['download', ...series], { env })).exitCode, 0);
  const exporting = (...words: readonly string[]) =>
    runHere(['export', ...words, '-o', join(dir, 'out')], { env });
  const other = await exporting('freqtrade', dir, '-t', 'quotes');
  assert.equal(other.exitCode, 2);
  assert.match(
    other.stderr.replaceAll(/\s+/g, ' '),
    /no day file to export: those selected are of quotes, and freqtrade reads trades, derivative_ticker; select some of these, or download them/,
  );
  assert.deepEqual(await namesIn(join(dir, 'out')).catch(() => []), []);
  const both = await exporting('nautilus', dir, '--json');
  assert.equal(both.exitCode, 0, both.stderr);
});

test('trades without their book are skipped with the reason; --snapshots ignore leaves snapshots out', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { rows: 2000 });
  for (const series of [SERIES, ['deribit', '-t', 'trades', '-s', 'ETH-PERPETUAL']])
    await runHere(['download', ...series, '--date', '2024-03-01', '-q'], { env });
  const words = ['export', 'hftbacktest', dir, '-o', join(dir, 'npz'), '--json'];
  const eth = 'skipped deribit_trades_2024-03-01_ETH-PERPETUAL.csv.gz';
  const first = await runHere(words, { env });
  assert.deepEqual(resultsOf(first), [[`converted ${FIRST}`, eth], 0]);
  assert.match(first.stderr, /ETH-PERPETUAL.*needs the incremental_book_L2 of the same day/);
  const events = async () =>
    readRows(await readFile(join(dir, 'npz', FIRST))).map(({ ev }) => ev & 0x8000_000fn);
  assert.equal((await events()).filter((event) => event === 0x8000_0002n).length, 2000);
  const ignoring = await runHere([...words, '--snapshots', 'ignore'], { env });
  assert.deepEqual(resultsOf(ignoring), [[`converted ${FIRST}`, eth], 0]);
  assert.ok((await events()).every((event) => (event & 15n) <= 2n));
});

test('a symbol of the rows cannot lead out of the folder', async (t) => {
  const dir = await tempDir(t);
  const rows = (dataType: string): string => csvOf(dataType, 20).replaceAll('BTC-PERPETUAL', '../\u0007x');
  for (const dataType of ['trades', 'incremental_book_L2'])
    await writeDayFile(dir, dataType, rows(dataType), 'PERPETUALS');
  const finished = await runHere(['export', 'hftbacktest', dir, '-o', join(dir, 'a', 'npz'), '--json']);
  assert.equal(finished.exitCode, 6);
  assert.match(finished.stdout, /is not a path inside the output folder/);
  assert.deepEqual(await namesIn(dir), [
    'deribit_incremental_book_L2_2024-03-01_PERPETUALS.csv.gz',
    'deribit_trades_2024-03-01_PERPETUALS.csv.gz',
  ]);
});

test('--skip-degraded leaves out day files that the last audit judged degraded', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { rows: 2000, faults: { 'duplicate-trades': 1 } });
  await runHere(['download', ...SERIES, '--date', '2024-03-01', '--audit'], { env });
  const words = ['export', 'hftbacktest', dir, '-o', join(dir, 'npz'), '--json'];
  const { stdout, stderr, exitCode } = await runHere([...words, '--skip-degraded'], { env });
  assert.deepEqual(resultsOf({ stdout, stderr, exitCode }), [[`skipped ${BOOK}`], 0]);
  assert.match(stderr, /skipping .*_trades_.*: degraded \(duplicate_row, duplicate_id\)/);
  assert.deepEqual(resultsOf(await runHere(words, { env })), [[`converted ${FIRST}`], 0]);
});

test('usage errors name the flag, and write nothing', async (t) => {
  const { dir, env } = await downloadDays(t, 1);
  const out = join(dir, 'npz');
  for (const [words, message] of [
    [['hftbacktset', dir, '-o', out], /"hftbacktset" is not one of "hftbacktest", "nautilus", "freqtrade"/],
    [['hftbacktest', dir], /--out: name the folder/],
    [['hftbacktest', dir, '-o', '-'], /--out: name the folder/],
    [['hftbacktest', dir, '-o', out, '--timeframe', '1m'], /--timeframe has no effect on hftbacktest; omit/],
    [['hftbacktest', dir, '-o', out, '--base-latency', 'soon'], /--base-latency: "soon" is not a duration/],
    [['hftbacktest', dir, '-o', out, '--snapshots', 'some'], /snapshots/],
    [['hftbacktest', join(dir, 'none'), '-o', out], /no such file or folder/],
    [
      ['hftbacktest', dir, '-o', out, '--from', '2024-03-02', '--to', '2024-03-02'],
      /--to 2024-03-02 is exclusive/,
    ],
  ] as const) {
    await failedWith(runHere(['export', ...words], { env }), 2, message);
  }
  assert.ok(!(await namesIn(dir)).includes('npz'));
});

test('a file whose name states no day file fails, and the others are exported', async (t) => {
  const { dir, env } = await downloadDays(t, 1);
  await writeFile(join(dir, 'other.csv.gz'), gzipSync('a,b\n'));
  const finished = await runHere(['export', 'hftbacktest', dir, '-o', join(dir, 'npz'), '--json'], { env });
  assert.deepEqual(resultsOf(finished), [[`converted ${FIRST}`, 'failed other.csv.gz'], 2]);
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGKILL', null],
] as const) {
  test(`an export that ends by ${signal} leaves no output, and the next one completes`, async (t) => {
    const dir = await tempDir(t);
    await writeHugeFile(dir, 'BTC-PERPETUAL');
    await writeFile(join(dir, TRADES), gzipSync(''));
    const out = join(dir, 'npz');
    const words = ['export', 'hftbacktest', dir, '-o', out, '--json'];
    const { child, printed, finished } = start([...words, '--verbose']);
    await printed('"event":"plan"');
    child.kill(signal);
    const { exitCode, stdout } = await finished;
    assert.equal(exitCode, code);
    if (code !== null) assert.equal(jsonLines({ exitCode, stdout, stderr: '' }).at(-1)?.['unfinished'], 1);
    const left = await arraysIn(out).catch(() => []);
    assert.deepEqual(
      left.filter((name) => name.endsWith('.npz')),
      [],
    );
    await writeLargeFile(dir, 'BTC-PERPETUAL', 1);
    assert.deepEqual(resultsOf(await runHere(words)), [[`converted ${FIRST}`], 0]);
    assert.deepEqual(await arraysIn(out), [FIRST]);
  });
}
