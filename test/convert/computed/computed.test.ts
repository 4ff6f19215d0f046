import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parquetMetadata, parquetSchema } from 'hyparquet';
import { parseOutputSelection } from '../../../src/convert/output-selection.js';
import { tempDir } from '../../helpers/temp.js';
import { csvOf, parquetRows, run, writeDayFile } from '../day-files.js';
import { expectedRows, plain, tradesOf } from './rows.js';

const BARS = ['trade_bar_1m', 'trade_bar_10ticks', 'trade_bar_2.5vol'];
const BOOKS = ['book_snapshot_3_0ms', 'book_snapshot_2_grouped10_1s', 'quote', 'quote_10s'];

test('computes all types of a file in one run, with the same rows as src/market', async (t) => {
  const dir = await tempDir(t);
  const trades = csvOf('trades', 3000);
  const book = csvOf('incremental_book_L2', 3000);
  await writeDayFile(dir, 'trades', trades);
  await writeDayFile(dir, 'incremental_book_L2', book);
  const { summary, events, files } = await run([dir], {
    outputSelection: parseOutputSelection([...BARS, ...BOOKS]),
    chosen: { rowGroup: 100 },
  });
  assert.deepEqual([summary.exitCode, summary.counts], [0, { converted: 7 }]);
  assert.deepEqual(events[0], { event: 'plan', files: 7 });
  for (const name of [...BARS, ...BOOKS]) {
    const path = join(dir, `deribit_${name}_2024-03-01_BTC-PERPETUAL.parquet`);
    const expected = expectedRows(name, BARS.includes(name) ? trades : book);
    assert.ok(expected.length > 1, name);
    assert.deepEqual(plain(await parquetRows(await readFile(path))), expected, name);
    const file = files.find((event) => event.path === path);
    assert.deepEqual([file?.status, file?.rows], ['converted', expected.length]);
    assert.match(file?.source ?? '', BARS.includes(name) ? /_trades_/ : /_incremental_book_L2_/);
  }
});

test('writes the same values as NDJSON, with times and numbers as requested', async (t) => {
  const dir = await tempDir(t);
  const book = csvOf('incremental_book_L2', 2000);
  const source = await writeDayFile(dir, 'incremental_book_L2', book);
  const selection = parseOutputSelection(['book_snapshot_3_0ms']);
  const expected = expectedRows('book_snapshot_3_0ms', book);
  const path = join(dir, 'deribit_book_snapshot_3_0ms_2024-03-01_BTC-PERPETUAL.ndjson');
  await run([source], { format: 'ndjson', outputSelection: selection });
  const text = await readFile(path, 'utf8');
  assert.equal(text, expected.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const chosen = { numbers: 'string', times: 'iso', compression: 'gzip' } as const;
  await run([source], { format: 'ndjson', outputSelection: selection, chosen });
  const lines = gunzipSync(await readFile(`${path}.gz`))
    .toString()
    .trimEnd()
    .split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    expected.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => {
          if (typeof value !== 'number') return [name, value];
          if (!name.endsWith('timestamp')) return [name, String(value)];
          const rest = String(value % 1000).padStart(3, '0');
          return [name, `${new Date(Math.floor(value / 1000)).toISOString().slice(0, -1)}${rest}Z`];
        }),
      ),
    ),
  );
});

test('with --numbers string, writes numbers in their shortest form and counts as integers', async (t) => {
  const dir = await tempDir(t);
  const csv = tradesOf([[1, 2, 'A', 'buy', '7.50', '0.00000025']]);
  const source = await writeDayFile(dir, 'trades', csv, 'A');
  const selection = parseOutputSelection(['trade_bar_1m']);
  await run([source], { outputSelection: selection, chosen: { numbers: 'string' } });
  const [bar] = plain(
    await parquetRows(await readFile(join(dir, 'deribit_trade_bar_1m_2024-03-01_A.parquet'))),
  );
  assert.deepEqual([bar?.['open'], bar?.['volume'], bar?.['trades']], ['7.5', '2.5e-7', 1]);
  await run([source], { outputSelection: selection, format: 'ndjson', chosen: { numbers: 'string' } });
  const line = await readFile(join(dir, 'deribit_trade_bar_1m_2024-03-01_A.ndjson'), 'utf8');
  assert.match(line, /"volume":"2\.5e-7".*"trades":1,"vwap":"7\.5/);
});

test('writes the open bars of a grouped file with late and stray trades, all within the day', async (t) => {
  const dir = await tempDir(t);
  const csv = tradesOf([
    [-5_000_000, 1_000_000, 'B', 'sell', '10', '1'],
    [61_000_000, 61_000_001, 'A', 'buy', '20', '0'],
    [30_000_000, 62_000_000, 'A', 'buy', '25', '2'],
    [86_400_000_000 + 7, 86_399_000_000, 'B', 'buy', '11', '3'],
  ]);
  const source = await writeDayFile(dir, 'trades', csv, 'FUTURES');
  await run([source], { outputSelection: parseOutputSelection(['trade_bar_1m']) });
  const path = join(dir, 'deribit_trade_bar_1m_2024-03-01_FUTURES.parquet');
  const rows = plain(await parquetRows(await readFile(path)));
  assert.deepEqual(rows, expectedRows('trade_bar_1m', csv));
  const start = Date.UTC(2024, 2, 1) * 1000;
  assert.deepEqual(
    rows.map((row) => [row['symbol'], Number(row['timestamp']) - start, row['close'], row['vwap']]),
    [
      ['B', 60_000_000, 10, 10],
      ['B', 86_400_000_000, 11, 11],
      ['A', 120_000_000, 20, null],
    ],
  );
});

test('keeps symbols with commas, quotes and letters beyond ASCII', async (t) => {
  const dir = await tempDir(t);
  const csv = tradesOf([
    [1, 2, '"a,""b"""', 'buy', '1', '1'],
    [3, 4, 'é', 'buy', '2', '1'],
  ]);
  const source = await writeDayFile(dir, 'trades', csv, 'GROUP');
  for (const format of ['parquet', 'ndjson'] as const)
    await run([source], { format, outputSelection: parseOutputSelection(['trade_bar_1m']) });
  const path = join(dir, 'deribit_trade_bar_1m_2024-03-01_GROUP');
  const rows = plain(await parquetRows(await readFile(`${path}.parquet`)));
  assert.deepEqual(rows, expectedRows('trade_bar_1m', csv));
  assert.deepEqual(
    rows.map((row) => row['symbol']),
    ['a,"b"', 'é'],
  );
  const lines = (await readFile(`${path}.ndjson`, 'utf8')).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    rows,
  );
});

test('converts an empty day to a file without rows, with its columns', async (t) => {
  const dir = await tempDir(t);
  const sources = [
    await writeDayFile(dir, 'trades', '', 'EMPTY'),
    await writeDayFile(dir, 'incremental_book_L2', csvOf('incremental_book_L2', 0), 'EMPTY'),
  ];
  const { files } = await run(sources, { outputSelection: parseOutputSelection(['trade_bar_1m', 'quote']) });
  assert.deepEqual(
    files.map(({ status, rows }) => [status, rows]),
    [
      ['converted', 0],
      ['converted', 0],
    ],
  );
  const file = await readFile(join(dir, 'deribit_quote_2024-03-01_EMPTY.parquet'));
  const { children } = parquetSchema(parquetMetadata(Uint8Array.from(file).buffer));
  assert.equal(children.length, 8);
});

for (const [dataType, type] of [
  ['trades', 'trade_bar_1m'],
  ['incremental_book_L2', 'quote'],
] as const) {
  test(`${dataType}: an empty price or amount is an error, not a price of 0`, async (t) => {
    for (const [column, name] of [
      [6, 'price'],
      [7, 'amount'],
    ] as const) {
      const dir = await tempDir(t);
      const lines = csvOf(dataType, 20).split('\n');
      const cells = (lines[3] ?? '').split(',');
      cells[column] = '';
      lines[3] = cells.join();
      await writeDayFile(dir, dataType, lines.join('\n'));
      const { summary, files } = await run([dir], { outputSelection: parseOutputSelection([type]) });
      assert.equal(summary.exitCode, 6);
      const problem = new RegExp(`csv.gz: line 4, column ${name}: "" is empty, but a value is required`);
      assert.match(files[0]?.error?.message ?? '', problem);
      assert.equal((await readdir(dir)).length, 1);
    }
  });
}
