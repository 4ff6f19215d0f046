import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nightlyTest, usualTest } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import {
  BOOK_COLUMNS,
  exportDays,
  exportFolder,
  PRECISION_FLAGS,
  type TestDay,
  warningsOf,
  writeDay,
} from './catalog.js';
import { makeSlowCatalog } from './slow-catalog.js';

const PRECISION = { price: 2, size: 3, bits: 128 } as const;

/** Rows of several batches, of which each exchange time has three. A snapshot of 40 is around each batch's end. */
function makeBook(
  rows: number,
  symbolOf: (row: number) => string,
  localOf: (row: number) => number,
): TestDay {
  return {
    name: 'bitmex_incremental_book_L2_2024-03-01_PERPETUALS',
    columns: BOOK_COLUMNS,
    rows: Array.from({ length: rows }, (_, row) => {
      const isSnapshot = (row + 20) % 65_536 < 40;
      const price = String(20_000 + ((row * 7919) % 1000) / 100);
      const cells = [String(isSnapshot), row % 2 === 0 ? 'bid' : 'ask', price, String((row % 11) / 10)];
      return [symbolOf(row), Math.floor(row / 3), localOf(row), ...cells];
    }),
  };
}

const CASES: readonly (readonly [string, TestDay, RegExp])[] = [
  [
    'one symbol',
    makeBook(
      270_001,
      () => 'XBTUSD',
      (row) => row,
    ),
    /^$/,
  ],
  [
    'a first symbol with few rows, and a third after the first batch',
    makeBook(
      150_001,
      (row) => (row % 50 === 0 ? 'ETHUSD' : row > 135_000 && row % 5 === 1 ? 'SOLUSD' : 'XBTUSD'),
      (row) => row,
    ),
    /^$/,
  ],
  [
    'rows out of order',
    makeBook(
      270_001,
      () => 'XBTUSD',
      // The last row is the first one of the output.
      (row) => (row === 270_000 ? 1 : row + 500 - ((row * 31) % 400)),
    ),
    /rows were not in the order of local_timestamp; sorted them/,
  ],
];

for (const [title, day, warning] of CASES) {
  const declare = title.startsWith('a first symbol') ? usualTest : nightlyTest;
  declare(`writes a day of several batches: ${title}`, async (t) => {
    const exported = await exportDays(t, [day], PRECISION_FLAGS);
    assert.equal(exported.exitCode, 0);
    assert.match(warningsOf(exported), warning);
    const catalog = makeSlowCatalog(day, PRECISION);
    const symbols = exported.events.flatMap(({ path }) => String(path).match(/[A-Z]+(?=\.BITMEX)/) ?? []);
    assert.deepEqual(symbols, [...catalog.keys()]);
    const expected = [...catalog].sort(([a], [b]) => (a < b ? -1 : 1));
    assert.equal(exported.files.length, expected.length);
    for (const [i, [symbol, rows]] of expected.entries()) {
      const file = exported.files[i];
      assert.equal(file?.path.split('/')[2], `${symbol}.BITMEX`);
      assert.equal(file?.rows.length, rows.length);
      const names = Object.keys(rows[0] ?? {});
      const different = rows.findIndex((row, at) =>
        names.some((name) => file.rows[at]?.[name] !== row[name]),
      );
      assert.deepEqual(file.rows[different], rows[different], `row ${different}`);
    }
  });
}

nightlyTest('leaves no unfinished file if a row of a later batch does not fit', async (t) => {
  const dir = await tempDir(t);
  const day = makeBook(
    270_001,
    () => 'XBTUSD',
    (row) => row,
  );
  const last = ['XBTUSD', 100_000, 300_000, 'false', 'bid', '1e300', '1'] as const;
  await writeDay(join(dir, 'days'), { ...day, rows: [...day.rows, last] });
  const out = join(dir, 'catalog');
  const { exitCode, files } = await exportFolder(join(dir, 'days'), out, ['--offline', ...PRECISION_FLAGS], {
    XDG_CACHE_HOME: join(dir, 'cache'),
  });
  assert.equal(exitCode, 2);
  assert.deepEqual(files, []);
  const left = await readdir(out, { recursive: true });
  assert.deepEqual(
    left.filter((name) => name.endsWith('.part')),
    [],
  );
});
