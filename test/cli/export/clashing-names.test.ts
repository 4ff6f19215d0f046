import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { runExportJob } from '../../../src/export/run-export-job.js';
import { openFiles } from '../../../src/store/open-files.js';
import { writeTrades } from '../../export/freqtrade/exporting.js';
import {
  BOOK_COLUMNS,
  exportDays,
  exportFolder,
  PRECISION_FLAGS,
  QUOTE_COLUMNS,
  snapshotColumns,
  type TestDay,
  TRADE_COLUMNS,
  writeDay,
} from '../../export/nautilus/catalog.js';
import { jsonLines } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { rounds } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';

const RUNS = { numRuns: rounds(24), endOnFailure: true };

const cells = (columns: readonly string[], values: Readonly<Record<string, string>>): string[] =>
  columns.map((name) => values[name] ?? '1');
/** Columns and cells; an amount of 0 is left out of trades. */
const CATALOG_TYPES = {
  trades: [TRADE_COLUMNS, (amount: string) => cells(TRADE_COLUMNS, { id: 'a', side: 'buy', amount })],
  quotes: [QUOTE_COLUMNS, () => cells(QUOTE_COLUMNS, {})],
  incremental_book_L2: [
    BOOK_COLUMNS,
    (amount: string) => cells(BOOK_COLUMNS, { is_snapshot: amount === '0' ? 'true' : 'false', side: 'bid' }),
  ],
  book_snapshot_5: [snapshotColumns(5), () => cells(snapshotColumns(5), {})],
  trade_bar_2ticks: [
    TRADE_COLUMNS,
    (amount: string) => cells(TRADE_COLUMNS, { id: 'a', side: 'buy', amount }),
  ],
} as const;
const CATALOG_SYMBOLS = ['BTC/USD', 'BTCUSD', 'btcusd', 'A^B', 'A_B', 'ETHUSD'] as const;

function folderOf(symbol: string, catalog: string): string {
  const name = symbol.toUpperCase().replaceAll('/', '');
  return catalog === 'rust' ? name.replaceAll('^', '_') : name;
}

/** The rows of day files that an export counted, after it has checked that none is missing. */
function countedRows(lines: readonly Readonly<Record<string, unknown>>[]): { read: number; written: number } {
  const { dayFileRows } = lines.at(-1) as {
    dayFileRows: { read: number; written: number; leftOut: Record<string, number> };
  };
  const leftOut = Object.values(dayFileRows.leftOut).reduce((sum, rows) => sum + rows, 0);
  assert.equal(dayFileRows.read, dayFileRows.written + leftOut);
  const sourceRows = lines.map((line) => Number(line['sourceRows'] ?? 0));
  assert.equal(
    sourceRows.reduce((sum, rows) => sum + rows),
    dayFileRows.written,
  );
  return dayFileRows;
}

for (const [type, [columns, cellsOf]] of Object.entries(CATALOG_TYPES)) {
  test(`a catalog of grouped ${type} has all rows, or names the symbols of one folder`, async (t) => {
    const row = fc.record({ symbol: fc.constantFrom(...CATALOG_SYMBOLS), amount: fc.constantFrom('1', '0') });
    const rows = fc.array(row, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom('python', 'rust'), async (rows, catalog) => {
        const isBar = type === 'trade_bar_2ticks';
        const day: TestDay = {
          name: `bitmex_${isBar ? 'trades' : type}_2024-03-01_SPOT`,
          columns,
          rows: rows.map(({ symbol, amount }, i) => [symbol, i, i, ...cellsOf(amount)]),
        };
        const flags = [...PRECISION_FLAGS, '--catalog', catalog, ...(isBar ? ['--as', type] : [])];
        const exported = await exportDays(t, [day], flags);
        const symbols = [...new Set(rows.map(({ symbol }) => symbol))];
        if (symbols.length === new Set(symbols.map((symbol) => folderOf(symbol, catalog))).size) {
          assert.equal(exported.exitCode, 0, exported.stderr);
          assert.equal(countedRows(exported.events).read, rows.length);
          const writtenRows = exported.files.reduce((sum, { rows }) => sum + rows.length, 0);
          assert.ok(isBar || writtenRows >= countedRows(exported.events).written);
          return;
        }
        assert.equal(exported.exitCode, 2, exported.stderr);
        assert.deepEqual(exported.files, []);
        const message = JSON.stringify(exported.events.find(({ error }) => error));
        assert.match(message, /bitmex .* and bitmex .* have the same output; .*--instrument-id/);
      }),
      RUNS,
    );
  });
}

test('arrays of a grouped day have all rows, or the export names the symbols of one output', async (t) => {
  const row = fc.record({
    type: fc.constantFrom('trades' as const, 'incremental_book_L2' as const),
    symbol: fc.constantFrom('BTC/USD', 'BTC-USD', 'btc/usd', 'ETH', 'SOL'),
    isSnapshot: fc.boolean(),
    local: fc.integer({ min: 0, max: 9 }),
  });
  const modes = fc.constantFrom('process', 'ignore-sod', 'ignore');
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 12 }), modes, async (rows, mode) => {
      const dir = await tempDir(t);
      for (const [type, columns] of [
        ['trades', TRADE_COLUMNS],
        ['incremental_book_L2', BOOK_COLUMNS],
      ] as const)
        await writeDay(join(dir, 'days'), {
          name: `deribit_${type}_2024-03-01_PERPETUALS`,
          columns,
          rows: rows
            .filter((row) => row.type === type)
            .map(({ symbol, isSnapshot, local }, i) => [
              symbol,
              i,
              10 * i + local,
              ...cells(columns, { is_snapshot: String(isSnapshot), side: type === 'trades' ? 'buy' : 'bid' }),
            ]),
        });
      const words = ['export', 'hftbacktest', join(dir, 'days'), '-o', join(dir, 'out'), '--json'];
      const exported = await runHere([...words, '--snapshots', mode], { env: {} });
      const symbols = rows.map(({ symbol }) => symbol).filter((symbol) => /btc/i.test(symbol));
      if (new Set(symbols).size < 2) {
        assert.equal(exported.exitCode, 0, exported.stdout);
        assert.equal(countedRows(jsonLines(exported)).read, rows.length);
        return;
      }
      assert.equal(exported.exitCode, 2, exported.stdout);
      assert.match(exported.stdout, /BTC-USD: (BTC.USD|btc.usd) and (BTC.USD|btc.usd) have the same output/);
      const names = await readdir(join(dir, 'out')).catch(() => []);
      assert.deepEqual(
        names.filter((name) => name.endsWith('.npz')),
        [],
      );
    }),
    RUNS,
  );
});

test('pairs of a grouped day have all trades, or the export names the symbols of one output', async (t) => {
  const pairs = { AB: 'A.B/USD', A_B: 'A_B/USD', C: 'C/USD', C2: 'C/USD', D: 'D/USD:D' };
  const symbols = fc.array(fc.constantFrom(...Object.keys(pairs), 'NONE'), { maxLength: 8 });
  const { signal } = new AbortController();
  const files = openFiles();
  await fc.assert(
    fc.asyncProperty(symbols, async (symbols) => {
      const dir = await tempDir(t);
      const rows = symbols.map((symbol, i) => ({ symbol, time: i - 2, price: 1, amount: 1 }));
      const source = await writeTrades(dir, rows, 0, 'SPOT');
      const settings = { timeframes: ['1m', '1h'], pairs };
      const job = { target: 'freqtrade', key: 'binance SPOT', sources: [source], settings } as const;
      const out = join(dir, 'out');
      const placed = { job, out, record: undefined, busyThreads: 1 };
      const listener = { onBytes: () => {}, claim: async () => {} };
      const exported = runExportJob(placed, { files, store: undefined }, listener, signal);
      const has = (...all: readonly string[]): boolean => all.every((symbol) => symbols.includes(symbol));
      if (has('AB', 'A_B') || has('C', 'C2')) {
        const message = /: (AB|A_B|C2?)( \(.*\))? and (AB|A_B|C2?)( \(.*\))? have the same output; .*--pair/;
        await assert.rejects(exported, { code: 'usage', message });
        const names = await readdir(out, { recursive: true }).catch(() => []);
        assert.deepEqual(
          names.filter((name) => name.endsWith('.feather')),
          [],
        );
        return;
      }
      const { dayFileRows, outputs } = await exported;
      const none = symbols.filter((symbol) => symbol === 'NONE').length;
      assert.deepEqual(dayFileRows, {
        read: rows.length,
        written: rows.length - none,
        leftOut: none > 0 ? { no_pair: none } : {},
      });
      const sumOf = (kind: string): number =>
        outputs
          .filter(({ path }) => path.includes(kind))
          .reduce((sum, file) => sum + (file.sourceRows ?? 0), 0);
      assert.equal(sumOf('-trades'), rows.length - none);
      // Two trades are of the day before, of which candles would lack trades.
      const early = symbols.slice(0, 2).filter((symbol) => symbol !== 'NONE').length;
      for (const timeframe of ['-1m', '-1h']) assert.equal(sumOf(timeframe), rows.length - none - early);
    }),
    RUNS,
  );
});

test('a catalog folder has one symbol, also over several days and runs', async (t) => {
  const dir = await tempDir(t);
  const days = join(dir, 'days');
  for (const [date, symbol, time] of [
    ['01', 'BTC/USD', 0],
    ['02', 'BTCUSD', 86_400_000_000],
  ] as const) {
    const rows = [[symbol, time, time, 'a', 'buy', '1', '1']] as const;
    await writeDay(days, { name: `bitmex_trades_2024-03-${date}_SPOT`, columns: TRADE_COLUMNS, rows });
  }
  const env = { XDG_CACHE_HOME: join(dir, 'cache') };
  const flags = ['--offline', ...PRECISION_FLAGS];
  const both = await exportFolder(days, join(dir, 'both'), [...flags, '-j', '1'], env);
  assert.equal(both.exitCode, 2);
  const message =
    /data\/trade_tick\/BTCUSD\.BITMEX: has bitmex BTC\/USD of bitmex_trades_2024-03-01_SPOT\.csv\.gz, and bitmex BTCUSD of bitmex_trades_2024-03-02_SPOT\.csv\.gz needs the same folder/;
  assert.match(JSON.stringify(both.events), message);
  assert.equal(both.files.length, 1);

  const out = join(dir, 'out');
  assert.equal((await exportFolder(days, out, [...flags, '--to', '2024-03-02'], env)).exitCode, 0);
  const second = [...flags, '--from', '2024-03-02'];
  const refused = await exportFolder(days, out, [...second, '--existing', 'overwrite'], env);
  assert.equal(refused.exitCode, 2);
  assert.match(JSON.stringify(refused.events), message);
  assert.equal((await exportFolder(days, join(dir, 'other'), second, env)).exitCode, 0);
});

test('the summary names the rules by which rows are left out', async (t) => {
  const dir = await tempDir(t);
  const rows = ['0', '1', '0.0001'].map((amount, i) => ['XBTUSD', i, i, 'a', 'buy', '1', amount] as const);
  await writeDay(dir, { name: 'bitmex_trades_2024-03-01_XBTUSD', columns: TRADE_COLUMNS, rows });
  const words = ['export', 'nautilus', dir, '-o', join(dir, 'out'), '--offline', ...PRECISION_FLAGS];
  const { stderr } = await runHere(words, { env: {} });
  assert.match(stderr, /^rows: 3 read, 1 written, 2 left out \(size 0\)$/m);
});
