import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { tempDir } from '../../helpers/temp.js';
import {
  BOOK_COLUMNS,
  type CatalogRow,
  DAY_START,
  exportDays,
  PRECISION_FLAGS,
  QUOTE_COLUMNS,
  snapshotColumns,
  TRADE_COLUMNS,
  warningsOf,
  writeDay,
} from './catalog.js';

const POWER = 10n ** 13n;

/** Picks columns of rows. */
function pick(rows: readonly CatalogRow[], ...names: readonly string[]): readonly unknown[][] {
  return rows.map((row) => names.map((name) => row[name]));
}

test('writes deltas with clears and flags, and deletes what rounds to 0', async (t) => {
  const { exitCode, files, ...exported } = await exportDays(t, [
    {
      name: 'deribit_incremental_book_L2_2024-03-01_BTC-PERPETUAL',
      columns: BOOK_COLUMNS,
      rows: [
        ['BTC-PERPETUAL', 1, 9, 'true', 'bid', '100', '1'],
        ['BTC-PERPETUAL', 1, 9, 'true', 'ask', '102', '0'],
        ['BTC-PERPETUAL', 5, 9, 'false', 'ask', '101', '0.0004'],
        ['BTC-PERPETUAL', 5, 10, 'true', 'bid', '98', '1'],
      ],
    },
  ]);
  assert.equal(exitCode, 0);
  assert.deepEqual(
    files.map(({ path }) => path),
    [
      'data/order_book_deltas/BTC-PERPETUAL.DERIBIT/2024-03-01T00-00-00-000009000Z_2024-03-01T00-00-00-000010000Z.parquet',
    ],
  );
  const rows = files[0]?.rows ?? [];
  assert.deepEqual(pick(rows, 'action', 'side', 'flags'), [
    [4, 0, 32],
    [1, 1, 0],
    [3, 2, 128],
    [3, 2, 0],
    [4, 0, 32],
    [1, 1, 128],
  ]);
  assert.deepEqual(pick(rows, 'price', 'size', 'ts_event', 'ts_init').at(-1), [
    98n * 1000n * POWER,
    1000n * POWER,
    1_709_251_200_000_005_000n,
    1_709_251_200_000_010_000n,
  ]);
  assert.match(warningsOf({ exitCode, files, ...exported }), /rounded 1 value with more decimals/);
});

test('derives the ids of trades that have none, or one that the catalog cannot have', async (t) => {
  const { files } = await exportDays(t, [
    {
      name: 'bitmex_trades_2024-03-01_ETH-USD',
      columns: TRADE_COLUMNS,
      rows: [
        ['ETH/USD', 1, 5, '', 'buy', '100.5', '1'],
        ['ETH/USD', 1, 6, 'x'.repeat(37), 'sell', '100.5', '1'],
        ['ETH/USD', 1, 7, 'é', 'sell', '100.5', '1'],
        ['ETH/USD', 1, 8, 'x'.repeat(36), 'unknown', '100.5', '1'],
      ],
    },
  ]);
  assert.deepEqual(pick(files[0]?.rows ?? [], 'trade_id', 'aggressor_side'), [
    ['3833d995e55e23ac', 1],
    ['b3a86537d0368420', 2],
    ['b3a86537d0368420', 2],
    ['x'.repeat(36), 0],
  ]);
  assert.match(files[0]?.path ?? '', /^data\/trade_tick\/ETHUSD\.BITMEX\//);
  assert.equal(files[0]?.metadata['instrument_id'], 'ETH/USD.BITMEX');
});

test('leaves out trades of size 0, and files without rows', async (t) => {
  const exported = await exportDays(t, [
    {
      name: 'bitmex_trades_2024-03-01_XBTUSD',
      columns: TRADE_COLUMNS,
      rows: [
        ['XBTUSD', 1, 1, 'a', 'buy', '1', '0.0004'],
        ['XBTUSD', 2, 2, 'b', 'buy', '-1.005', '0.0005'],
        ['XBTUSD', 3, 3, 'c', 'buy', '1', '0'],
      ],
    },
    { name: 'bitmex_trades_2024-03-02_XBTUSD', columns: TRADE_COLUMNS, rows: [] },
  ]);
  assert.equal(exported.exitCode, 0);
  assert.deepEqual(
    pick(
      exported.files.flatMap(({ rows }) => rows),
      'trade_id',
      'price',
      'size',
    ),
    [['b', -101n * 10n ** 14n, 10n ** 13n]],
  );
  assert.match(warningsOf(exported), /rounded 3 values .*\n.*left out 2 rows of size 0$/);
  const statuses = exported.events.filter(({ event }) => event === 'file').map(({ status }) => status);
  assert.deepEqual(statuses.sort(), ['converted', 'skipped']);
});

test('takes empty quotes as 0, and ten levels of book snapshots', async (t) => {
  const level = (price: string, amount: string): readonly string[] => [price, amount, '', '7'];
  const { files } = await exportDays(t, [
    {
      name: 'bitmex_quotes_2024-03-01_XBTUSD',
      columns: QUOTE_COLUMNS,
      rows: [['XBTUSD', 1, 2, '', '', '5', '6']],
    },
    {
      name: 'bitmex_book_snapshot_5_2024-03-01_XBTUSD',
      columns: snapshotColumns(5),
      rows: [['XBTUSD', 1, 2, ...[1, 2, 3, 4, 5].flatMap((i) => level(String(i), '2'))]],
    },
    {
      name: 'bitmex_book_snapshot_25_2024-03-01_ETHUSD',
      columns: snapshotColumns(25),
      rows: [['ETHUSD', 1, 2, ...Array.from({ length: 25 }, () => level('3', '4')).flat()]],
    },
  ]);
  const [eth, xbt, quotes] = files.map(({ rows }) => rows[0] ?? {});
  assert.deepEqual(pick([quotes ?? {}], 'bid_price', 'ask_price', 'bid_size', 'ask_size'), [
    [5n * 10n ** 16n, 0n, 6n * 10n ** 16n, 0n],
  ]);
  assert.deepEqual(
    pick([xbt ?? {}], 'ask_price_4', 'ask_size_4', 'ask_count_4', 'ask_price_5', 'ask_count_5'),
    [[5n * 10n ** 16n, 2n * 10n ** 16n, 1, 0n, 0]],
  );
  assert.deepEqual(pick([eth ?? {}], 'ask_price_9', 'bid_price_9', 'bid_size_9', 'bid_count_9', 'flags'), [
    [3n * 10n ** 16n, 0n, 0n, 0, 160],
  ]);
});

test('makes bars of trades, and leaves out those without volume', async (t) => {
  const day = {
    name: 'deribit_trades_2024-03-01_BTC-PERPETUAL',
    columns: TRADE_COLUMNS,
    rows: [
      ['BTC-PERPETUAL', 1, 10, 'a', 'buy', '100.25', '0.1'],
      ['BTC-PERPETUAL', 2, 11, 'b', 'sell', '99', '0.2'],
      ['BTC-PERPETUAL', 60_000_000, 60_000_001, 'c', 'sell', '98', '0'],
      ['BTC-PERPETUAL', 120_000_000, 120_000_001, 'd', 'sell', '97', '0.5'],
    ],
  } as const;
  const exported = await exportDays(
    t,
    [day],
    [...PRECISION_FLAGS, '--as', 'trade_bar_60s,rows', '--catalog', 'rust'],
  );
  assert.deepEqual(
    exported.files.map(({ path }) => path),
    [
      'data/bars/BTC-PERPETUAL.DERIBIT-1-MINUTE-LAST-EXTERNAL/2024-03-01T00-01-00-000001000Z_2024-03-01T00-02-00-000001000Z.parquet',
      'data/trades/BTC-PERPETUAL.DERIBIT/2024-03-01T00-00-00-000010000Z_2024-03-01T00-02-00-000001000Z.parquet',
    ],
  );
  const [bars] = exported.files;
  assert.equal(bars?.metadata['bar_type'], 'BTC-PERPETUAL.DERIBIT-1-MINUTE-LAST-EXTERNAL');
  const unit = 10n ** 13n;
  assert.deepEqual(pick(bars?.rows ?? [], 'open', 'high', 'low', 'close', 'volume', 'ts_event'), [
    [
      100_250n * unit,
      100_250n * unit,
      99_000n * unit,
      99_000n * unit,
      300n * unit,
      1_709_251_260_000_000_000n,
    ],
    [97_000n * unit, 97_000n * unit, 97_000n * unit, 97_000n * unit, 500n * unit, 1_709_251_380_000_000_000n],
  ]);
  const warnings = warningsOf(exported);
  assert.match(warnings, /left out 1 row of volume 0/);
  assert.doesNotMatch(warnings, /rounded/, 'the volume is a sum of doubles');
});

test('refuses values that do not fit, and names the precision that values need', async (t) => {
  const trade = (price: string, amount: string) => ({
    name: 'bitmex_trades_2024-03-01_XBTUSD',
    columns: TRADE_COLUMNS,
    rows: [
      ['XBTUSD', 1, 1, 'a', 'buy', '1.50', '0.25'],
      ['XBTUSD', 2, 2, 'b', 'buy', price, amount],
    ] as const,
  });
  const cases = [
    [
      '9223372037',
      '1',
      ['--precision', '64'],
      2,
      /row 2: price 9223372037 does not fit into 64 bits; use --precision 128/,
    ],
    ['-9223372037', '1', ['--precision', '64'], 2, /row 2: price -9223372037 does not fit/],
    ['1', '18446744074', ['--precision', '64'], 2, /row 2: amount 18446744074 does not fit/],
    [
      '17014118346047',
      '1',
      [],
      2,
      /row 2: price 17014118346047 does not fit into 128 bits; select the other symbols with -s \(in a config file: symbols\)/,
    ],
    ['1', '-1', [], 2, /row 2: amount -1 does not fit/],
    ['1', '1e300', [], 2, /row 2: amount 1e300 does not fit/],
    ['', '1', [], 6, /row 2: price is empty, but a value is required/],
  ] as const;
  for (const [price, amount, flags, exitCode, message] of cases) {
    const exported = await exportDays(t, [trade(price, amount)], [...PRECISION_FLAGS, ...flags]);
    assert.equal(exported.exitCode, exitCode, message.source);
    assert.match(JSON.stringify(exported.events), message);
    assert.deepEqual(exported.files, []);
  }
  const fits = await exportDays(
    t,
    [trade('9223372036', '18446744073')],
    [...PRECISION_FLAGS, '--precision', '64'],
  );
  assert.deepEqual(pick(fits.files[0]?.rows.slice(1) ?? [], 'price', 'size'), [
    [9_223_372_036_000_000_000n, 18_446_744_073_000_000_000n],
  ]);
  const unknown = await exportDays(t, [trade('100.12500', '1e-7')], []);
  assert.equal(unknown.exitCode, 2);
  assert.match(
    JSON.stringify(unknown.events),
    /the precision of XBTUSD is not known; its values need --price-precision 3 --size-precision 7/,
  );
  const half = await exportDays(t, [trade('100.125', '1')], ['--price-precision', '2']);
  assert.match(JSON.stringify(half.events), /its values need --size-precision 2"/);
});

test('refuses a time before 1970, which a catalog cannot have', async (t) => {
  const exported = await exportDays(t, [
    {
      name: 'bitmex_trades_2024-03-01_XBTUSD',
      columns: TRADE_COLUMNS,
      rows: [
        ['XBTUSD', -DAY_START, 1, '1', 'buy', '1', '1'],
        ['XBTUSD', -DAY_START - 1, 2, '2', 'buy', '1', '1'],
      ],
    },
  ]);
  assert.equal(exported.exitCode, 6);
  assert.match(JSON.stringify(exported.events), /_XBTUSD\.csv\.gz: row 2: timestamp is before 1970/);
});

test('refuses a book side other than bid or ask', async (t) => {
  const exported = await exportDays(t, [
    {
      name: 'bitmex_incremental_book_L2_2024-03-01_XBTUSD',
      columns: BOOK_COLUMNS,
      rows: [['XBTUSD', 1, 1, 'true', 'buy', '1', '1']],
    },
  ]);
  assert.equal(exported.exitCode, 6);
  assert.match(
    JSON.stringify(exported.events),
    /_XBTUSD\.csv\.gz: line 2, column side: \\"buy\\" is neither bid nor ask/,
  );
});

test('ignores unknown columns, and says so', async (t) => {
  const exported = await exportDays(t, [
    {
      name: 'bitmex_trades_2024-03-01_XBTUSD',
      columns: [...TRADE_COLUMNS, 'extra'],
      rows: [['XBTUSD', 1, 1, '1', 'buy', '1', '1', 'x']],
    },
  ]);
  assert.equal(exported.exitCode, 0);
  assert.match(warningsOf(exported), /unknown columns of trades: extra; ignoring them$/);
});

test('sorts rows of which the first one comes after whole row groups', async (t) => {
  const dir = await tempDir(t);
  const row = (time: number) => ['XBTUSD', time, time, '', 'buy', '1', '1'] as const;
  const rows = [...Array.from({ length: 270_000 }, (_, i) => row(i + 10)), row(1)];
  await writeDay(dir, { name: 'bitmex_trades_2024-03-01_XBTUSD', columns: TRADE_COLUMNS, rows });
  const words = ['export', 'nautilus', dir, '-o', join(dir, 'out'), '--offline', '--json'];
  const { stdout } = await succeeded(runHere([...words, ...PRECISION_FLAGS], { env: {} }));
  assert.match(
    stdout,
    /\/2024-03-01T00-00-00-000001000Z_2024-03-01T00-00-00-270009000Z\.parquet".*"rows":270001/,
  );
});
