import assert from 'node:assert/strict';
import { isAbsolute, join, relative } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { DATA_TYPES } from '../../src/day-files/data-types.js';
import { createGlobMatcher, toDatasetSymbol } from '../../src/day-files/dataset-symbol.js';
import { type Day, parseDay } from '../../src/day-files/day.js';
import { createFileNamer, type DayFile } from '../../src/day-files/day-file.js';
import { HIVE_LAYOUT, parseLayout } from '../../src/day-files/layout.js';
import { findViewColumns } from '../../src/describe/views/view-file.js';

const LAYOUTS = [
  'flat',
  'hive',
  '{exchange}/{type}/{symbol}/{date}.csv.gz',
  '{year}/{month}/{day}/{type}/{exchange}/{symbol}',
  '{symbol}/{name}',
];

const file: DayFile = {
  exchange: 'deribit',
  dataType: 'trades',
  symbol: 'BTC-PERPETUAL',
  day: parseDay('2024-03-01'),
};

/** Any names, with special characters more frequent. */
const anyName = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
  fc.string({
    minLength: 1,
    maxLength: 8,
    unit: fc.constantFrom('.', '/', '\\', ':', '*', '-', '_', 'A', '\0', '%', '~'),
  }),
  fc.constantFrom('..', '.', '../../x', '/etc/passwd', 'C:\\x', '.tickhaul'),
);
const anyFile = fc.record({
  exchange: anyName,
  dataType: anyName,
  symbol: anyName,
  day: fc.integer({ min: 17_000, max: 25_000 }).map((n) => n as Day),
});

test('flat is the name that the service’s own client uses', () => {
  assert.equal(parseLayout('flat').pathOf(file, 'csv.gz'), 'deribit_trades_2024-03-01_BTC-PERPETUAL.csv.gz');
  const odd = { ...file, symbol: 'A:B\\C/D?E*F<G>H|I"J' };
  assert.equal(
    parseLayout('flat').pathOf(odd, 'csv.gz'),
    'deribit_trades_2024-03-01_A-B-C-D-E-F-G-H-I-J.csv.gz',
  );
});

test('hive has a folder for each part', () => {
  assert.equal(
    parseLayout('hive').pathOf(file, 'parquet'),
    'exchange=deribit/data_type=trades/dataset_symbol=BTC-PERPETUAL/date=2024-03-01/deribit_trades_2024-03-01_BTC-PERPETUAL.parquet',
  );
});

test('no key of hive but exchange is a column of any data type or computed type', () => {
  const keys = [...HIVE_LAYOUT.template.matchAll(/([^/=]+)=/g)].map(([, key = '']) => key);
  assert.deepEqual(keys, ['exchange', 'data_type', 'dataset_symbol', 'date']);
  const computed = ['trade_bar_1m', 'book_snapshot_25_1s', 'quote', 'quote_1s'];
  for (const type of [...DATA_TYPES, ...computed]) {
    const names = findViewColumns(type).map(({ name }) => name);
    assert.ok(names.length > 4, type);
    assert.deepEqual(
      names.filter((name) => keys.includes(name)),
      ['exchange'],
      type,
    );
  }
});

test('a template may end with the extension of the file', () => {
  assert.equal(
    parseLayout('{exchange}/{type}/{symbol}/{date}.csv.gz').pathOf(file, 'csv.gz'),
    'deribit/trades/BTC-PERPETUAL/2024-03-01.csv.gz',
  );
});

test('no symbol leads out of the folder', () => {
  fc.assert(
    fc.property(anyFile, fc.constantFrom(...LAYOUTS), (any, layout) => {
      const root = '/data/sets';
      const path = parseLayout(layout).pathOf(any, 'csv.gz');
      const way = relative(root, join(root, path));
      assert.ok(way.split('/')[0] !== '..' && !isAbsolute(way), path);
      assert.equal(way, path, 'no folder is empty, "." or ".."');
      assert.notEqual(path.split('/')[0], '.tickhaul');
    }),
    { numRuns: 2000 },
  );
});

test('day files whose names differ after replacement have different paths', () => {
  const plainName = fc.stringMatching(/^[A-Z0-9+%.Ä-]{1,8}$/).filter((name) => !/^\.+$/.test(name));
  const plainFile = fc.record({
    exchange: fc.constantFrom('binance', 'binance-futures', 'okex'),
    dataType: fc.constantFrom('trades', 'quotes', 'book_snapshot_5'),
    symbol: plainName,
    day: fc.integer({ min: 19_000, max: 19_005 }).map((n) => n as Day),
  });
  fc.assert(
    fc.property(plainFile, plainFile, fc.constantFrom(...LAYOUTS), (a, b, layout) => {
      const { pathOf } = parseLayout(layout);
      const same = JSON.stringify(a) === JSON.stringify(b);
      assert.equal(pathOf(a, 'csv.gz') === pathOf(b, 'csv.gz'), same);
    }),
    { numRuns: 2000 },
  );
});

for (const [layout, said] of [
  ['{exchnge}/{name}', /unknown \{exchnge\}/],
  ['../{name}', /must stay under/],
  ['/data/{name}', /must be a path under/],
  ['a\tb/{name}', /control characters/],
  ['a//{name}', /empty/],
  ['.tickhaul/{name}', /reserved by tickhaul/],
  ['{type}/.Tickhaul/{name}', /reserved by tickhaul/],
  ['{symbol}/{date}', /different day files one name/],
  ['{exchange}/{type}/{symbol}/{year}-{month}', /different day files one name/],
] as const) {
  test(`refuses layout "${layout}"`, () => {
    assert.throws(() => parseLayout(layout), { code: 'usage', message: said });
  });
}

const TEMPLATES = [
  '{name}',
  '{exchange}/{type}/{symbol}/{name}',
  '{year}-{month}/.{day}{symbol}/{type}{exchange}',
];

test('the name of a file does not depend on the files named before', () => {
  const few = fc.constantFrom('A', '..', 'x/y', '.tickhaul');
  const day = fc.integer({ min: 17_000, max: 25_000 }).map((n) => n as Day);
  const files = fc.array(fc.record({ exchange: few, dataType: few, symbol: few, day }));
  fc.assert(
    fc.property(files, fc.constantFrom(...TEMPLATES), (all, template) => {
      const nameOf = createFileNamer(template);
      for (const file of all) assert.equal(nameOf(file), createFileNamer(template)(file));
    }),
  );
});

test('words of a template that are properties of objects are not placeholders', () => {
  const file = { exchange: 'x', dataType: 'trades', symbol: 'A', day: parseDay('2024-03-01') };
  assert.equal(createFileNamer('constructor{symbol}toString{day}')(file), 'constructorAtoString01');
});

test('a glob without wildcards matches only its own text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      fc.pre(!/[*?]/.test(a));
      assert.equal(createGlobMatcher(a)(b), a === b);
    }),
  );
});

test('a glob matches prefixes, suffixes, or both', () => {
  const matches = createGlobMatcher('BTC*-?9*');
  assert.ok(matches('BTC-29MAR24'));
  assert.ok(matches('BTC-X-09'));
  assert.ok(!matches('BTC-9'));
  assert.ok(!matches('ETHBTC-29MAR24'));
});

test('a symbol may be written with slashes, colons and lower-case letters', () => {
  assert.equal(toDatasetSymbol(' btc/usd:perp '), 'BTC-USD-PERP');
});

test('a symbol in decomposed Unicode form equals the composed form', () => {
  for (const symbol of ['CAFÉ-USDT', 'ÅNGSTRÖM', '가나-KRW', 'ΐ-USD']) {
    assert.equal(toDatasetSymbol(symbol.normalize('NFD')), symbol.toUpperCase().normalize('NFC'));
  }
});
