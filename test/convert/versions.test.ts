import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { OUTPUT_FORMAT_CHOICES, type OutputFormatName } from '../../src/base/output-format-names.js';
import { computedColumns } from '../../src/convert/computed/computed-rows.js';
import { parseOutputSelection } from '../../src/convert/output-selection.js';
import { outputVersion } from '../../src/convert/provenance.js';
import { DATA_TYPES, dataTypeColumns } from '../../src/day-files/data-types.js';
import { parseComputedTypeName } from '../../src/market/message-type-name.js';
import { tempDir } from '../helpers/temp.js';
import { setOtherNoteVersion, setOtherParquetVersion } from './another-version.js';
import { csvOf, run, writeDayFile } from './day-files.js';

const digest = (value: string | Buffer): string => createHash('md5').update(value).digest('hex').slice(0, 8);

/**
 * Fails if columns changed without `src/convert/provenance.ts`: raise the version there, then pin it
 * here.
 */
const COLUMNS: Readonly<Record<string, string>> = {
  trades: '1.1 8d726935',
  incremental_book_L2: '1.1 650ecb63',
  quotes: '1.1 fea0a799',
  book_ticker: '1.1 fea0a799',
  derivative_ticker: '1.1 b9903887',
  liquidations: '1.1 8d726935',
  options_chain: '1.1 0f09d465',
  book_snapshot_5: '1.1 e2dd30dd',
  book_snapshot_25: '1.1 e0af67ee',
  trade_bar_1m: '1.1 c9854f42',
  book_snapshot_2_1s: '1.1 f934614d',
  quote: '1.1 e61dcd36',
};

test('columns change only with the version of their outputs', () => {
  const computed = ['trade_bar_1m', 'book_snapshot_2_1s', 'quote'];
  const schemas = [
    ...DATA_TYPES.map((name) => [name, dataTypeColumns(name)] as const),
    ...computed.map((name) => [name, computedColumns(parseComputedTypeName(name))] as const),
  ];
  const found = schemas.map(([name, columns]) => [
    name,
    `${outputVersion(name, 'parquet') ?? '1.1'} ${digest(JSON.stringify(columns))}`,
  ]);
  assert.deepEqual(Object.fromEntries(found), COLUMNS);
});

/** Trades and a book of a few rows, whose outputs are pinned to the byte. */
const SOURCES = {
  trades: `exchange,symbol,timestamp,local_timestamp,id,side,price,amount
deribit,BTC-PERPETUAL,1709251200000001,1709251200100001,a,buy,62000.5,10
deribit,BTC-PERPETUAL,1709251230000001,1709251230100001,b,sell,61999.5,20.25
deribit,BTC-PERPETUAL,1709251290000001,1709251290100001,,unknown,62010,0.001
`,
  incremental_book_L2: `exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount
deribit,BTC-PERPETUAL,1709251200000001,1709251200100001,true,bid,62000,10
deribit,BTC-PERPETUAL,1709251200000001,1709251200100001,true,ask,62000.5,5
deribit,BTC-PERPETUAL,1709251201500001,1709251201600001,false,bid,62000,0
deribit,BTC-PERPETUAL,1709251203500001,1709251203600001,false,bid,61999,7.5
`,
};

/** Bytes from the length of a footer to the end of the file. */
const FOOTER_TAILS: Partial<Record<OutputFormatName, number>> = { parquet: 8, arrow: 10 };

/** Fails if rules, cells or a writer changed without the version: raise the version, then pin it here. */
const OUTPUTS: Readonly<Record<string, string>> = {
  'book_snapshot_2_1s.arrow': '1.1 6a5aab83',
  'incremental_book_L2.arrow': '1.1 3a99d27f',
  'quote.arrow': '1.1 3eb82046',
  'trade_bar_1m.arrow': '1.1 cd31feb4',
  'trades.arrow': '1.1 5ae9e2f0',
  'book_snapshot_2_1s.csv': '1.1 59d3ec8b',
  'incremental_book_L2.csv': '1.1 6e0b2037',
  'quote.csv': '1.1 b620d37f',
  'trade_bar_1m.csv': '1.1 ea1dcea6',
  'trades.csv': '1.1 ae9322a0',
  'book_snapshot_2_1s.ndjson': '1.1 a1addf66',
  'book_snapshot_2_1s.parquet': '1.1 e612896d',
  'incremental_book_L2.ndjson': '1.1 61ae1be9',
  'incremental_book_L2.parquet': '1.1 e6ffbf75',
  'quote.ndjson': '1.1 a179a680',
  'quote.parquet': '1.1 4c6ee113',
  'trade_bar_1m.ndjson': '1.1 e8a34887',
  'trade_bar_1m.parquet': '1.1 82a353f6',
  'trades.ndjson': '1.1 20b7cb12',
  'trades.parquet': '1.1 4165a707',
};

test('cells, rules and writers change only with the version of their outputs', async (t) => {
  const found: [string, string][] = [];
  for (const [dataType, csv] of Object.entries(SOURCES)) {
    for (const format of OUTPUT_FORMAT_CHOICES) {
      const dir = await tempDir(t);
      await writeDayFile(dir, dataType, csv);
      const selection = parseOutputSelection(
        dataType === 'trades' ? ['rows', 'trade_bar_1m'] : ['rows', 'book_snapshot_2_1s', 'quote'],
      );
      const { files } = await run([dir], {
        format,
        chosen: { compression: 'none' },
        outputSelection: selection,
      });
      for (const { path } of files) {
        const bytes = await readFile(path);
        const name = /deribit_(.+)_2024/.exec(path)?.[1] ?? '';
        // Ignore the footer, which contains tickhaul's version.
        const tail = FOOTER_TAILS[format];
        const length = tail ? bytes.length - tail - bytes.readUInt32LE(bytes.length - tail) : bytes.length;
        const version = outputVersion(name, format) ?? '1.1';
        found.push([`${name}.${format}`, `${version} ${digest(bytes.subarray(0, length))}`]);
      }
    }
  }
  assert.deepEqual(Object.fromEntries(found.sort()), OUTPUTS);
});

test('writes an output of another version again; one without a version is current', async (t) => {
  const dir = await tempDir(t);
  await writeDayFile(dir, 'trades', csvOf('trades', 0));
  const selection = parseOutputSelection(['rows', 'trade_bar_1m']);
  const statuses = async (format: 'parquet' | 'ndjson'): Promise<unknown> =>
    (await run([dir], { format, outputSelection: selection })).files.map(({ status }) => status);

  assert.deepEqual(await statuses('parquet'), ['converted', 'converted']);
  const names = ['trades', 'trade_bar_1m'].map((name) =>
    join(dir, `deribit_${name}_2024-03-01_BTC-PERPETUAL.parquet`),
  );
  for (const name of names) assert.ok(!(await readFile(name, 'latin1')).includes('output_version'));
  assert.deepEqual(await statuses('parquet'), ['skipped', 'skipped']);
  for (const name of names) await setOtherParquetVersion(name);
  assert.deepEqual(await statuses('parquet'), ['converted', 'converted']);
  assert.deepEqual(await statuses('parquet'), ['skipped', 'skipped']);

  await statuses('ndjson');
  assert.deepEqual(await statuses('ndjson'), ['skipped', 'skipped']);
  const notes = join(dir, '.tickhaul', 'conversions.jsonl');
  assert.ok(!(await readFile(notes, 'utf8')).includes('output_version'));
  await setOtherNoteVersion(notes);
  assert.deepEqual(await statuses('ndjson'), ['converted', 'converted']);
  assert.deepEqual(await statuses('ndjson'), ['skipped', 'skipped']);
});
