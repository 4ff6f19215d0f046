import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DATA_TYPES } from '../../src/day-files/data-types.js';
import { duckFor } from '../format/parquet/readers.js';
import { jsonLines, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { noPython } from '../helpers/python.js';
import { tempDir } from '../helpers/temp.js';
import { csvOf, parquetRows, writeDayFile } from './day-files.js';

const ROWS = 60;
/** Symbols of the rows of a type's files, and how often each occurs: the truth that every reader has to find. */
type Contents = Readonly<Record<string, Readonly<Record<string, number>>>>;

function withSymbols(csv: string, symbols: readonly string[]): string {
  const [header = '', ...lines] = csv.trimEnd().split('\n');
  const rows = lines.map((line, i) => line.replace(/^([^,]*),[^,]*/, `$1,${symbols[i % symbols.length]}`));
  return `${[header, ...rows].join('\n')}\n`;
}

function count(values: readonly unknown[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return counts;
}

/** A hive folder of all data types, with a grouped file of options, and of bars; read file by file with hyparquet. */
async function createFolder(dir: string): Promise<{ out: string; contents: Contents }> {
  for (const type of DATA_TYPES) {
    const csv = csvOf(type, ROWS);
    const options = ['BTC-1-C', 'BTC-2-P', 'ETH-1-C'];
    if (type === 'options_chain') await writeDayFile(dir, type, withSymbols(csv, options), 'OPTIONS');
    else
      for (const symbol of ['BTC-PERPETUAL', 'ETH-PERPETUAL'])
        await writeDayFile(dir, type, withSymbols(csv, [symbol]), symbol);
  }
  const out = join(dir, 'out');
  const words = ['convert', dir, '-o', out, '--layout', 'hive', '--as', 'rows,trade_bar_1m,quote_1s'];
  await succeeded(runHere(words));

  const symbolsByType = new Map<string, unknown[]>();
  const paths = (await readdir(out, { recursive: true })).filter((path) => path.endsWith('.parquet'));
  for (const path of paths) {
    const [, type = ''] = /data_type=([^/]*)/.exec(path) ?? [];
    const symbols = (await parquetRows(await readFile(join(out, path)))).map((row) => row['symbol']);
    symbolsByType.set(type, [...(symbolsByType.get(type) ?? []), ...symbols]);
  }
  const contents = Object.fromEntries([...symbolsByType].map(([type, symbols]) => [type, count(symbols)]));
  assert.deepEqual(Object.keys(contents).sort(), [...DATA_TYPES, 'trade_bar_1m', 'quote_1s'].sort());
  assert.deepEqual(contents['trades'], { 'BTC-PERPETUAL': ROWS, 'ETH-PERPETUAL': ROWS });
  assert.deepEqual(contents['options_chain'], { 'BTC-1-C': 20, 'BTC-2-P': 20, 'ETH-1-C': 20 });
  return { out, contents };
}

let dir: string;
let created: Awaited<ReturnType<typeof createFolder>>;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tickhaul-test-'));
  created = await createFolder(dir);
});
after(() => rm(dir, { recursive: true }));

test('DuckDB reads a hive folder by its defaults, with the symbols and columns of the files', async (t) => {
  const { out, contents } = created;
  const duck = await duckFor(t);
  for (const [type, symbols] of Object.entries(contents)) {
    const from = `FROM read_parquet('${out}/exchange=*/data_type=${type}/**/*.parquet')`;
    const rows = await duck.query(`SELECT symbol, count(*) ${from} GROUP BY ALL`);
    assert.deepEqual(Object.fromEntries(rows), symbols, type);
    assert.deepEqual(await duck.query(`SELECT DISTINCT exchange, data_type, date::VARCHAR ${from}`), [
      ['deribit', type, '2024-03-01'],
    ]);
  }
  const options = `FROM read_parquet('${out}/exchange=*/data_type=options_chain/**/*.parquet')`;
  assert.deepEqual(await duck.query(`SELECT DISTINCT dataset_symbol ${options}`), [['OPTIONS']]);
  assert.deepEqual(await duck.query(`SELECT DISTINCT type ${options} ORDER BY 1`), [['call'], ['put']]);
});

const READERS = {
  Polars: {
    packages: ['polars'],
    code: `
import polars as pl
def read(folder):
    frame = pl.scan_parquet(folder).collect()
    assert frame.height == pl.read_parquet(folder).height
    assert pl.scan_parquet(folder).filter(pl.col("exchange") == "deribit").collect().height == frame.height
    assert pl.scan_parquet(folder).filter(pl.col("exchange") == "other").collect().height == 0
    return frame.to_dicts()
`,
  },
  pandas: {
    packages: ['pandas', 'pyarrow'],
    code: `
import pandas as pd
def read(folder):
    frame = pd.read_parquet(folder)
    assert len(pd.read_parquet(folder, filters=[("exchange", "==", "deribit")])) == len(frame)
    first = frame["symbol"].min()
    assert len(pd.read_parquet(folder, filters=[("symbol", "==", first)])) == (frame["symbol"] == first).sum()
    return frame.to_dict("records")
`,
  },
  'pyarrow.dataset': {
    packages: ['pyarrow'],
    code: `
import os
import pyarrow.dataset as ds
def read(folder):
    rows = ds.dataset(folder).to_table().to_pylist()
    # Below the folder of the exchange, and from the top with dictionaries, as pandas reads it.
    below = os.path.join(folder, "exchange=deribit")
    assert ds.dataset(below, partitioning="hive").count_rows() == len(rows)
    keys = ds.HivePartitioning.discover(infer_dictionary=True)
    return ds.dataset(folder, partitioning=keys).to_table().to_pylist()
`,
  },
} as const;

for (const [name, { packages, code }] of Object.entries(READERS)) {
  test(`${name} reads a hive folder by its defaults, with the symbols and columns of the files`, {
    skip: noPython(...packages),
  }, () => {
    const { out, contents } = created;
    // Each data type in a folder, as a folder of one data type has it.
    const script = `${code}
import collections, json, os, shutil, sys
found = {}
for type in (entry.name for entry in os.scandir("exchange=deribit")):
    top = os.path.join("..", "top-" + type)
    shutil.copytree(os.path.join("exchange=deribit", type), os.path.join(top, "exchange=deribit", type), dirs_exist_ok=True)
    rows = read(top)
    assert {(str(row["exchange"]), str(row["data_type"]), str(row["date"])) for row in rows} == {
        ("deribit", type.split("=")[1], "2024-03-01")}, rows[0]
    if "options_chain" in type:
        assert {row["type"] for row in rows} == {"call", "put"}
        assert {str(row["dataset_symbol"]) for row in rows} == {"OPTIONS"}
    found[type.split("=")[1]] = collections.Counter(row["symbol"] for row in rows)
print(json.dumps(found))
`;
    const printed = execFileSync('python3', ['-c', script], { cwd: out, encoding: 'utf8' });
    assert.deepEqual(JSON.parse(printed), contents);
  });
}

test('only files in a hive folder have the hint for Arrow readers', async (t) => {
  const dir = await tempDir(t);
  const path = await writeDayFile(dir, 'trades', csvOf('trades', ROWS));
  for (const [layout, hasHint] of [
    ['flat', false],
    ['hive', true],
    ['exchange={exchange}/{name}', false],
  ] as const) {
    const words = ['convert', path, '-o', join(dir, layout.slice(0, 4)), '--layout', layout, '--json'];
    const converted = await succeeded(runHere(words));
    const output = jsonLines(converted).find(({ event }) => event === 'file')?.['path'];
    const { metadata } = JSON.parse((await runHere(['inspect', String(output), '--json'])).stdout);
    assert.equal('ARROW:schema' in metadata, hasHint, layout);
  }
});

test('fastparquet reads all data types with --encodings plain', {
  skip: noPython('fastparquet'),
}, async () => {
  const out = join(dir, 'plain');
  const words = ['convert', dir, '-o', out, '--encodings', 'plain', '--json'];
  const converted = await succeeded(runHere([...words, '--as', 'rows,trade_bar_1m,quote_1s']));
  const outputs = jsonLines(converted).filter(({ event }) => event === 'file');
  const rows = Object.fromEntries(outputs.map(({ path, rows }) => [path, rows]));
  const script = `
import fastparquet, json, sys
print(json.dumps({path: len(fastparquet.ParquetFile(path).to_pandas()) for path in sys.argv[1:]}))
`;
  const printed = execFileSync('python3', ['-c', script, ...Object.keys(rows)], { encoding: 'utf8' });
  assert.deepEqual(JSON.parse(printed), rows);
});

test('--encodings plain is part of what makes an output up to date, and needs Parquet', async (t) => {
  const folder = await tempDir(t);
  const path = await writeDayFile(folder, 'trades', csvOf('trades', ROWS));
  const convert = async (...flags: readonly string[]) => {
    const finished = await runHere(['convert', path, '--json', ...flags]);
    return jsonLines(finished).find(({ event }) => event === 'file')?.['status'];
  };
  assert.deepEqual(
    [
      await convert(),
      await convert('--encodings', 'auto'),
      await convert('--encodings', 'plain'),
      await convert('--encodings', 'plain'),
      await convert(),
    ],
    ['converted', 'skipped', 'converted', 'skipped', 'converted'],
  );
  const { exitCode, stderr } = await runHere(['convert', path, '-f', 'ndjson', '--encodings', 'plain']);
  assert.deepEqual(
    [exitCode, stderr],
    [2, 'tickhaul: --encodings plain: requires Parquet; leave it out for NDJSON\n'],
  );
});
