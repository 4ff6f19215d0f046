import assert from 'node:assert/strict';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cellsOf, csvOf, writeDayFile } from '../../convert/day-files.js';
import { readWithFlechette } from '../../format/arrow/read-arrow.js';
import { failedWith, jsonLines, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { tradesOf } from '../../helpers/selection.js';
import { namesIn, tempDir } from '../../helpers/temp.js';

/** The cells of a CSV by column. */
function columnsOf(dataType: string, csv: string): unknown[][] {
  const rows = cellsOf(dataType, csv);
  return Object.keys(rows[0] ?? {}).map((name) => rows.map((row) => row[name]));
}

/** Writes stdout, which is not text, to a file. */
async function streamTo(path: string, args: readonly string[]) {
  const command = ['bash', '-c', `"$0" "$@" > '${path}'`, process.execPath];
  return tickhaul(args, { command });
}

test('-f arrow writes the rows of a day file, and skips them if nothing changed', async (t) => {
  const dir = await tempDir(t);
  const csv = csvOf('incremental_book_L2', 5000);
  const source = await writeDayFile(dir, 'incremental_book_L2', csv);
  const path = source.replace('csv.gz', 'arrow');
  const convert = async (...flags: readonly string[]) => {
    const { event: _, ...counts } = jsonLines(
      await runHere(['convert', dir, '-f', 'arrow', '--json', ...flags]),
    ).at(-1) ?? { event: '' };
    return [counts['exitCode'], counts['converted'], counts['skipped']];
  };
  assert.deepEqual(await convert(), [0, 1, undefined]);
  assert.deepEqual(readWithFlechette(await readFile(path)), columnsOf('incremental_book_L2', csv));
  assert.deepEqual(await convert(), [0, undefined, 1]);
  assert.deepEqual(await convert('--compression', 'lz4'), [0, 1, undefined]);
  assert.deepEqual(await convert('--row-group', '2000', '--compression', 'zstd'), [0, 1, undefined]);
  assert.deepEqual(readWithFlechette(await readFile(path)), columnsOf('incremental_book_L2', csv));

  const inspected = await runHere(['inspect', path, '--json']);
  const { rows, rowGroups, metadata } = JSON.parse(inspected.stdout);
  assert.deepEqual([rows, rowGroups, metadata['tickhaul.rows']], [5000, 3, '5000']);
  assert.match(metadata['tickhaul.source'], /^deribit_incremental_book_L2_.*\.csv\.gz$/);
});

test('-f arrow -o - writes one stream of the rows of all files; other columns fail alone', async (t) => {
  const dir = await tempDir(t);
  const texts = [csvOf('trades', 700), csvOf('trades', 300)];
  for (const [i, csv] of texts.entries()) await writeDayFile(dir, 'trades', csv, `A${i}`);
  const out = join(dir, 'out.stream');
  await succeeded(streamTo(out, ['convert', dir, '-f', 'arrow', '-o', '-']));
  const expected = texts.map((csv) => columnsOf('trades', csv));
  const joined = expected[0]?.map((cells, i) => [...cells, ...(expected[1]?.[i] ?? [])]);
  assert.deepEqual(readWithFlechette(await readFile(out)), joined);

  await writeDayFile(dir, 'quotes', csvOf('quotes', 10), 'A2');
  await failedWith(
    streamTo(out, ['convert', dir, '-f', 'arrow', '-o', '-', '--symbol', 'A0,A1,A2']),
    2,
    /has other columns than the first one/,
  );

  await succeeded(
    streamTo(out, [
      'convert',
      join(dir, 'deribit_trades_2024-03-01_A0.csv.gz'),
      ...['--as', 'trade_bar_1m', '-f', 'arrow', '-o', '-', '--compression', 'zstd'],
    ]),
  );
  const volumes = readWithFlechette(await readFile(out))[8] as number[];
  const amounts = columnsOf('trades', texts[0] ?? '').at(-1) as number[];
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  assert.ok(Math.abs(sum(volumes) - sum(amounts)) < 1e-6 * sum(amounts));

  const { exitCode, stderr } = await runHere(['convert', dir, '-f', 'parquet', '-o', '-']);
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /-o - writes NDJSON, Arrow or CSV; omit --format, or specify a folder/);
});

test('readers of a stream fail if a file failed after some of its rows', async (t) => {
  const dir = await tempDir(t);
  const rows = csvOf('trades', 5000);
  await writeDayFile(dir, 'trades', rows, 'A0');
  const out = join(dir, 'out.stream');
  const words = ['convert', dir, '-f', 'arrow', '-o', '-', '--row-group', '1000'];
  assert.equal((await streamTo(out, words)).exitCode, 0);
  const whole = await readFile(out);
  assert.equal(readWithFlechette(whole)[0]?.length, 5000);
  await writeDayFile(dir, 'trades', `${rows}not,a,row\n`, 'A0');
  assert.equal((await streamTo(out, words)).exitCode, 6);
  const broken = await readFile(out);
  assert.ok(broken.length > 1000, 'some rows were written');
  assert.throws(() => readWithFlechette(broken));
  // It does not change what precedes the end.
  assert.equal(whole.indexOf(broken.subarray(0, -8)), 0);
});

test('download --convert arrow writes files that verify checks', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { rows: 500 });
  const flags = [...tradesOf('2024-03-01', '2024-03-03'), '--convert', 'arrow', '--as', 'rows,trade_bar_1m'];
  await succeeded(runHere(['download', ...flags, '--no-keep-csv'], { env }));
  const outputs = (await namesIn(dir)).filter((name) => name.endsWith('.arrow'));
  assert.equal(outputs.length, 4);
  for (const name of outputs) {
    const path = join(dir, name);
    const bytes = await readFile(path);
    await truncate(path, bytes.length - 1);
    const verified = await runHere(['verify', dir], { env });
    assert.equal(verified.exitCode, 6, verified.stderr);
    assert.match(verified.stdout + verified.stderr, new RegExp(`${name}.*not a complete Arrow file|corrupt`));
    await writeFile(path, bytes);
  }
  await succeeded(runHere(['verify', dir], { env }));
});
