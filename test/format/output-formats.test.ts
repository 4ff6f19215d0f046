import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  findOutputFormat,
  OUTPUT_EXTENSIONS,
  OUTPUT_FORMAT_CHOICES,
  type OutputFormatName,
} from '../../src/base/output-format-names.js';
import type { Schema } from '../../src/format/batch.js';
import type { OutputOptions } from '../../src/format/output-format.js';
import { createOutputOptions, OUTPUT_FORMATS } from '../../src/format/output-formats.js';
import { openFiles } from '../../src/store/open-files.js';
import { createMemorySink } from '../helpers/memory-sink.js';
import { tempDir } from '../helpers/temp.js';
import { readWithFlechette } from './arrow/read-arrow.js';
import { type Cell, encodeBatches, schemaOf, type TestColumn } from './parquet/batches.js';
import { duckOfFile } from './parquet/readers.js';

const duck = duckOfFile();

type ReadCells = (path: string, schema: Schema, options: OutputOptions) => Promise<unknown>;

/** Reads the cells of a file by column with a reader of another project; times are microseconds. */
const READERS: Readonly<Record<OutputFormatName, ReadCells>> = {
  parquet: readWithDuck((path) => `read_parquet('${path}')`),
  // JSON has no types, so they are given.
  ndjson: readWithDuck((path, types) => `read_ndjson('${path}', columns = {${types}})`),
  arrow: async (path) => readWithFlechette(await readFile(path)),
  csv: readWithDuck((path, types) => `read_csv('${path}', header = true, columns = {${types}})`),
};

const SQL_TYPES = { text: 'VARCHAR', boolean: 'BOOLEAN', integer: 'BIGINT' } as const;

function readWithDuck(tableOf: (path: string, types: string) => string): ReadCells {
  return async (path, schema, options) => {
    const types = schema.map(({ name, kind }) => {
      if (kind === 'number') return `"${name}": '${options.numbers === 'string' ? 'VARCHAR' : 'DOUBLE'}'`;
      if (kind === 'time') return `"${name}": '${options.times === 'int' ? 'BIGINT' : 'TIMESTAMPTZ'}'`;
      return `"${name}": '${SQL_TYPES[kind]}'`;
    });
    const cells = schema.map(({ name, kind }) =>
      kind === 'time' && options.times !== 'int' ? `epoch_us("${name}")` : `"${name}"`,
    );
    const rows = await duck.query(`SELECT ${cells.join(', ')} FROM ${tableOf(path, types.join(', '))}`);
    return schema.map((_, i) => rows.map((row) => row[i]));
  };
}

const START = 1_585_699_200_245_001;

/** Columns of every kind, whose cells are null in some rows, in all, or in none. */
function columnsOf(rows: number, wide = 0): TestColumn[] {
  const cells = (cell: (row: number) => Cell): Cell[] => Array.from({ length: rows }, (_, row) => cell(row));
  const some = (cell: (row: number) => Cell): Cell[] => cells((row) => (row % 3 === 1 ? null : cell(row)));
  return [
    { name: 'exchange', kind: 'text', cells: cells(() => 'deribit') },
    { name: 'symbol', kind: 'text', cells: cells((row) => `S-${row % 3}`) },
    { name: 'timestamp', kind: 'time', cells: cells((row) => START + row * 1000 - (row % 7)) },
    { name: 'local_timestamp', kind: 'time', cells: cells((row) => START + 3 + row * 1000) },
    { name: 'expiration', kind: 'time', cells: some((row) => START + (row % 2) * 28_800_000_000) },
    { name: 'id', kind: 'text', cells: some((row) => `é\\${10n ** 20n + BigInt(row)}`) },
    { name: 'side', kind: 'text', cells: some((row) => (row % 5 > 2 ? 'buy' : 'sell')) },
    { name: 'never', kind: 'text', cells: cells(() => null) },
    { name: 'is_snapshot', kind: 'boolean', cells: some((row) => row % 100 < 50) },
    { name: 'trades', kind: 'integer', cells: some((row) => row * 1_000_000_007) },
    { name: 'price', kind: 'number', cells: cells((row) => 6421.5 + (row % 11) / 2) },
    { name: 'amount', kind: 'number', cells: some((row) => (row % 4 === 0 ? 0 : 1 / (row + 1))) },
    ...Array.from({ length: wide }, (_, i) => {
      return { name: `asks[${i}].price`, kind: 'number', cells: some((row) => row + i / 8) } as const;
    }),
  ];
}

const FILES: Readonly<Record<string, { readonly columns: TestColumn[]; readonly batchRows: number }>> = {
  'several batches': { columns: columnsOf(1000), batchRows: 300 },
  'a row': { columns: columnsOf(1), batchRows: 300 },
  'no rows': { columns: columnsOf(0), batchRows: 300 },
  'many columns': { columns: columnsOf(50, 60), batchRows: 20 },
};

const METADATA = { 'tickhaul.source': 'ä.csv.gz', empty: '' };

for (const name of OUTPUT_FORMAT_CHOICES) {
  const format = OUTPUT_FORMATS[name];
  const choices = [
    ...format.compressions.map((compression) => ({ compression })),
    ...format.times.map((times) => ({ times })),
    { numbers: 'string' } as const,
  ];
  for (const chosen of choices) {
    for (const [content, { columns, batchRows }] of Object.entries(FILES)) {
      // Each column is written alike, however many there are.
      if (content === 'many columns' && chosen !== choices[0]) continue;
      test(`${name} with ${JSON.stringify(chosen)}: reads back ${content}`, async (t) => {
        const options = createOutputOptions(name, chosen);
        const schema = schemaOf(columns);
        const rows = columns[0]?.cells.length ?? 0;
        const expected = columns.map(({ kind, cells }) =>
          cells.map((cell) =>
            kind === 'number' && options.numbers === 'string' && cell !== null ? String(cell) : cell,
          ),
        );
        const sink = createMemorySink();
        const writer = await format.createWriter(sink, schema, options);
        for (const batch of await encodeBatches(columns, batchRows, options)) await writer.write(batch);
        const written = await writer.finish(METADATA);
        const bytes = sink.bytes().length;
        const path = join(await tempDir(t), `day.${format.extension(options.compression)}`);
        await writeFile(path, sink.bytes());

        assert.deepEqual(written, { rows, bytes });
        assert.deepEqual(await READERS[name](path, schema, options), expected);
        const files = openFiles(undefined);
        const keyValues = format.hasMetadata ? { keyValues: METADATA } : {};
        assert.deepEqual(await format.readFacts(path, files), { bytes, rows, ...keyValues });
        const found = await format.inspect(path, files, t.signal);
        assert.deepEqual([found.bytes, found.rows], [bytes, rows]);
        if (rows > 0) assert.deepEqual(namesOf(found.columns), namesOf(schema));
        const first = Array.from({ length: Math.min(rows, 5) }, (_, row) =>
          expected.map((cells) => cells[row]),
        );
        // The text of a CSV has the types of a data type, and this one is unknown.
        if (options.times !== 'iso' && name !== 'csv') assert.deepEqual(found.first, first);
      });
    }
  }

  test(`${name}: the extensions of its files identify it`, () => {
    const extensions = format.compressions.map((compression) => format.extension(compression));
    for (const extension of extensions) assert.equal(findOutputFormat(`day.${extension}`), name);
    const known = OUTPUT_EXTENSIONS.filter((extension) => findOutputFormat(`day.${extension}`) === name);
    assert.deepEqual(new Set(extensions), new Set(known));
  });

  test(`${name}: refuses a damaged file`, async (t) => {
    const path = join(await tempDir(t), `day.${format.extension(format.compressions[0])}`);
    await writeFile(path, Buffer.alloc(100, 1));
    await assert.rejects(format.inspect(path, openFiles(undefined), t.signal), { code: 'corrupt' });
  });
}

function namesOf(columns: readonly { readonly name: string }[]): readonly string[] {
  return columns.map(({ name }) => name);
}
