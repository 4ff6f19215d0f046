import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { duckFor } from '../../format/parquet/readers.js';
import type { Finished } from '../../helpers/cli.js';
import { succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { rounds } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';

const TRADES = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount';
const ROW = 'b,X,1709251200000001,1709251200000002,7,buy,1.5,2';

/** Writes a file of one row, with further columns. */
async function writeFileOf(path: string | Buffer, more: readonly string[] = []): Promise<void> {
  const text = [[TRADES, ...more].join(','), [ROW, ...more.map((_, i) => `cell${i}`)].join(',')].join('\n');
  await writeFile(path, gzipSync(`${text}\n`));
}

const isLeftOut = (path: string): boolean => path.includes('\\') || /^[A-Za-z]:/.test(path);

async function viewsOf(dir: string): Promise<Finished> {
  const finished = await succeeded(runHere(['views', dir]));
  return finished;
}

const letter = fc.constantFrom(
  ...'aA_é€🙂 \'"[]*?{}$%;-#&()=!~,.:\u0001\u0002\u007f\n\t\\\uFFFD'.split(''),
  'date',
  '2024-03-01',
);
const name = fc.array(letter, { minLength: 1, maxLength: 5 }).map((letters) => letters.join(''));
const folder = fc.option(
  name.filter((text) => !/^\.+$/.test(text)),
  { nil: undefined, freq: 2 },
);
const column = fc.oneof(
  fc.constantFrom(
    'price',
    'PRICE',
    'Price',
    '',
    'filename',
    'FileName',
    'date',
    'DATE',
    'type',
    'rowid',
    'column8',
    'a"b',
    "a'b",
    'x\0y',
    'local_timestamp',
    'file_row_number',
    ' ',
  ),
  name.filter((text) => !/[\n,]/.test(text)),
);
const file = fc.record({
  folder,
  symbol: name,
  type: fc.constantFrom('trades', 'order', 'select', 'a"b', 'x y', 'é'),
  day: fc.integer({ min: 1, max: 9 }),
  more: fc.array(column, { maxLength: 4 }),
  isConverted: fc.boolean(),
});

test('DuckDB accepts the views of a folder with any names and headers, and finds all rows', async (t) => {
  const base = await tempDir(t);
  const { query } = await duckFor(t);
  const quoted = (header: string): string =>
    header.includes('"') ? `"${header.replaceAll('"', '""')}"` : header;
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 6 }), async (files) => {
      const dir = await mkdtemp(join(base, 'f-'));
      try {
        // Copies of a day file count once. The name of a day file has no line feed; the header tells the type of others.
        const typesByFile = new Map<string, string>();
        await writeFileOf(join(dir, 'b_trades_2024-03-01_PLAIN.csv.gz'));
        for (const { folder = '', symbol, type, day, more, isConverted } of files) {
          const path = join(folder, `b_${type}_2024-03-0${day}_${symbol}.csv.gz`);
          await mkdir(dirname(join(dir, path)), { recursive: true });
          await writeFileOf(join(dir, path), more.map(quoted));
          const isNamed = !symbol.includes('\n');
          if (!isLeftOut(path)) typesByFile.set(isNamed ? basename(path) : path, isNamed ? type : 'trades');
          // A header that cannot be converted leaves the CSV alone. The conversion of a file that is left out has a usable name.
          if (isConverted && !isLeftOut(path)) await runHere(['convert', join(dir, path)]);
        }
        const { stdout, stderr } = await viewsOf(dir);
        await query(stdout);
        const isAnyLeftOut = files.some(({ folder, symbol }) =>
          isLeftOut(`${folder === undefined ? '' : `${folder}/`}b_${symbol}`),
        );
        assert.equal(stderr.includes('a path must be valid UTF-8'), isAnyLeftOut);
        for (const type of new Set(['trades', ...typesByFile.values()])) {
          const expected = [...typesByFile.values()].filter((other) => other === type).length;
          const [[count] = []] = await query(
            `SELECT count(*) FROM "${type.replaceAll('"', '""')}" WHERE symbol IS NOT NULL`,
          );
          assert.equal(count, expected + (type === 'trades' ? 1 : 0), type);
          await query(`SELECT * FROM "${type.replaceAll('"', '""')}"`);
        }
      } finally {
        await rm(dir, { recursive: true });
      }
    }),
    {
      numRuns: rounds(120),
      // A pattern that matches two files also matches one that is left out.
      examples: [
        [
          ['\\', 'a'].map((symbol) => {
            return {
              folder: undefined,
              symbol,
              type: 'trades' as const,
              day: 1,
              more: [],
              isConverted: false,
            };
          }),
        ],
      ],
    },
  );
});

test('columns without a name, or with that of another in another case, are left out with a warning', async (t) => {
  const dir = await tempDir(t);
  const { query } = await duckFor(t);
  await writeFileOf(join(dir, 'b_trades_2024-03-01_X.csv.gz'), ['PRICE', 'price', '', 'filename', 'Fee']);
  const { stdout, stderr } = await viewsOf(dir);
  assert.match(
    stderr,
    /^warning 1 file with columns that are left out, such as b_trades_2024-03-01_X\.csv\.gz/,
  );
  await query(stdout);
  assert.deepEqual(await query('SELECT price, filename, fee, date::VARCHAR FROM trades'), [
    [1.5, 'cell3', 'cell4', '2024-03-01'],
  ]);
});

test('two data types whose views would be one are refused', async (t) => {
  const dir = await tempDir(t);
  await writeFileOf(join(dir, 'b_trades_2024-03-01_X.csv.gz'));
  await writeFileOf(join(dir, 'b_Trades_2024-03-01_X.csv.gz'));
  const { exitCode, stderr, stdout } = await runHere(['views', dir]);
  assert.deepEqual([exitCode, stdout], [2, '']);
  assert.match(stderr, /^tickhaul: Trades and trades: DuckDB ignores the case of names/);
});

test('a file whose name is not UTF-8 is left out with a warning', async (t) => {
  const dir = await tempDir(t);
  const { query } = await duckFor(t);
  await writeFileOf(join(dir, 'b_trades_2024-03-01_X.csv.gz'));
  await writeFileOf(
    Buffer.concat([Buffer.from(`${dir}/b_trades_2024-03-02_A`), Buffer.from([0xff]), Buffer.from('.csv.gz')]),
  );
  const { stdout, stderr } = await viewsOf(dir);
  assert.match(
    stderr,
    /^warning 1 file left out, such as b_trades_2024-03-02_A\uFFFD\.csv\.gz: a path must be valid UTF-8/,
  );
  await query(stdout);
  assert.deepEqual(await query('SELECT count(*) FROM trades'), [[1]]);
});

test('a folder with a backslash in its own path has no globs', async (t) => {
  const dir = join(await tempDir(t), 'a\\b');
  const { query } = await duckFor(t);
  await mkdir(dir);
  for (const day of [1, 2, 3]) await writeFileOf(join(dir, `b_trades_2024-03-0${day}_X.csv.gz`));
  await query((await viewsOf(dir)).stdout);
  assert.deepEqual(await query('SELECT count(*) FROM trades'), [[3]]);
});
