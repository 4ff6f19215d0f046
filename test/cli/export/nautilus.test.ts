import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  exportFolder,
  PRECISION_FLAGS,
  QUOTE_COLUMNS,
  readCatalog,
  TRADE_COLUMNS,
  warningsOf,
  writeDay,
} from '../../export/nautilus/catalog.js';
import { killAndWait } from '../../helpers/clean-up.js';
import { envOf, start } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';

const PERIOD = ['--from', '2024-03-01', '--to', '2024-03-03'];

test('exports downloaded days with ids and precisions from metadata, and only once', async (t) => {
  const service = await sandbox(t);
  const dir = await tempDir(t);
  const env = envOf(service, dir);
  const types = ['-t', 'trades,incremental_book_L2,quotes,book_snapshot_25', ...PERIOD, '-q'];
  await runHere(['download', 'binance-futures', '-s', 'BTCUSDT', ...types], { env });
  await runHere(['download', 'bitmex', '-s', 'PERPETUALS', '-t', 'trades', ...PERIOD, '-q'], { env });
  const out = join(dir, 'catalog');
  const exported = await exportFolder(dir, out, [], env);
  assert.equal(exported.exitCode, 0);
  assert.equal(warningsOf(exported), '');
  const counts = new Map<string, number>();
  for (const { path } of exported.files) {
    const [, folder = '', identifier = ''] = path.split('/');
    counts.set(`${folder}/${identifier}`, (counts.get(`${folder}/${identifier}`) ?? 0) + 1);
  }
  assert.deepEqual(
    [...counts],
    [
      ['order_book_deltas/BTCUSDT-PERP.BINANCE', 2],
      ['order_book_depths/BTCUSDT-PERP.BINANCE', 2],
      ['quote_tick/BTCUSDT-PERP.BINANCE', 2],
      ['trade_tick/BTCUSDT-PERP.BINANCE', 2],
      ['trade_tick/ETHUSD.BITMEX', 2],
      ['trade_tick/XBTUSD.BITMEX', 2],
    ],
  );
  const { price_precision: price, size_precision: size } = exported.files[0]?.metadata ?? {};
  assert.deepEqual([price, size], ['1', '3']);
  const again = await exportFolder(dir, out, [], env);
  assert.ok(again.events.filter(({ event }) => event === 'file').every(({ status }) => status === 'skipped'));
  const verified = await runHere(['verify', out, '--json'], { env });
  assert.equal(verified.exitCode, 0);

  const withoutKey = { ...envOf(service, dir, ''), XDG_CACHE_HOME: join(dir, 'other-cache') };
  const flags = ['--exchange', 'binance-futures'];
  const keyless = await exportFolder(dir, join(dir, 'other'), flags, withoutKey);
  assert.equal(keyless.exitCode, 2);
  assert.match(warningsOf(keyless), /cannot get the instruments of binance-futures/);
  assert.match(JSON.stringify(keyless.events), /values need --price-precision 1 --size-precision 3/);
});

test('refuses flags and data that do not fit together', async (t) => {
  const dir = await tempDir(t);
  const row = ['XBTUSD', 1, 1, '1', '2', '3', '4'] as const;
  const columns = ['ask_amount', 'ask_price', 'bid_price', 'bid_amount'];
  for (const type of ['quotes', 'book_ticker'])
    await writeDay(join(dir, 'days'), { name: `bitmex_${type}_2024-03-01_XBTUSD`, columns, rows: [row] });
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [PRECISION_FLAGS, /book_ticker and quotes have the same place in a catalog; select one with -t/],
    [[...PRECISION_FLAGS, '-t', 'quotes', '--as', 'trade_bar_7m'], /7 minutes do not divide the next unit/],
    [[...PRECISION_FLAGS, '-t', 'quotes', '--as', 'quote_1s'], /a catalog has only bars and rows/],
    [[...PRECISION_FLAGS, '-t', 'quotes', '--instrument-id', 'XBTUSD'], /--instrument-id: "XBTUSD" is not/],
    [['-t', 'quotes', '--price-precision', '17'], /--price-precision: "17" is not a number of decimals/],
    [['-t', 'quotes', '--base-latency', '1ms'], /--base-latency has no effect on nautilus/],
  ];
  for (const [flags, message] of cases) {
    const words = ['export', 'nautilus', join(dir, 'days'), '-o', join(dir, 'out'), '--offline', ...flags];
    const { exitCode, stderr } = await runHere(words, { env: { XDG_CACHE_HOME: join(dir, 'cache') } });
    assert.match(stderr, message);
    assert.equal(exitCode, 2);
    assert.deepEqual(await readCatalog(join(dir, 'out')), []);
  }
});

test('leaves whole files or none when it is killed, and completes them in the next run', async (t) => {
  const dir = await tempDir(t);
  const days = join(dir, 'days');
  const rows = Array.from(
    { length: 60_000 },
    (_, i) => ['XBTUSD', i, i, String(i), 'buy', String(i % 9973), String(1 + (i % 89))] as const,
  );
  await mkdir(days);
  for (const day of [1, 2, 3]) {
    const shifted = rows.map(([symbol, time, local, ...cells]) => {
      const start = (day - 1) * 86_400_000_000;
      return [symbol, start + time, start + local, ...cells] as const;
    });
    const name = `bitmex_trades_2024-03-0${day}_XBTUSD`;
    await writeDay(days, { name, columns: ['id', 'side', 'price', 'amount'], rows: shifted });
  }
  const out = join(dir, 'catalog');
  const env = { XDG_CACHE_HOME: join(dir, 'cache') };
  const flags = ['--offline', '-j', '1', ...PRECISION_FLAGS];
  const killed = start(['export', 'nautilus', days, '-o', out, '--json', ...flags], { env });
  await killed.printed('"status":"converted"');
  await killAndWait(killed.child);
  const rowCounts = async (): Promise<readonly number[]> =>
    (await readCatalog(out)).map((file) => file.rows.length);
  const left = await rowCounts();
  assert.ok(left.length > 0 && left.every((count) => count === rows.length), left.join());
  const completed = await exportFolder(days, out, flags, env);
  assert.equal(completed.exitCode, 0);
  assert.deepEqual(await rowCounts(), [rows.length, rows.length, rows.length]);
});

test('refuses an instrument and day twice, from a file of its symbol and a grouped file', async (t) => {
  const dir = await tempDir(t);
  const days = join(dir, 'days');
  const writeTrades = (symbol: string, names: readonly string[]): Promise<void> => {
    const rows = names.map((name, i) => [name, i, i, String(i), 'buy', '3', '1'] as const);
    const name = `bitmex_trades_2024-03-01_${symbol}`;
    return writeDay(days, { name, columns: ['id', 'side', 'price', 'amount'], rows });
  };
  await writeTrades('SOLUSD', ['SOLUSD']);
  await writeTrades('XBTUSD', ['XBTUSD', 'XBTUSD']);
  await writeTrades('PERPETUALS', ['ETHUSD', 'XBTUSD', 'XBTUSD']);
  const env = { XDG_CACHE_HOME: join(dir, 'cache') };
  const single = 'bitmex_trades_2024-03-01_XBTUSD.csv.gz';
  const group = 'bitmex_trades_2024-03-01_PERPETUALS.csv.gz';
  const pathsIn = async (out: string): Promise<readonly string[]> =>
    (await readCatalog(out)).map(({ path }) => path.split('/')[2] as string);
  const errorsOf = ({ events }: Awaited<ReturnType<typeof exportFolder>>): readonly string[] =>
    events.flatMap(({ status, error }) =>
      status === 'failed' ? [(error as { message: string }).message] : [],
    );

  // Of the three jobs, which run in threads, the first of two has outputs.
  const both = join(dir, 'both');
  const flags = ['--offline', ...PRECISION_FLAGS];
  const exported = await exportFolder(days, both, [...flags, '-j', '3'], env);
  assert.equal(exported.exitCode, 2);
  const [message = '', ...others] = errorsOf(exported);
  assert.deepEqual(others, []);
  assert.match(message, /^data\/trade_tick\/XBTUSD\.BITMEX\/.*: both /);
  assert.ok(
    message.endsWith(`: both ${group} and ${single} give this data; select one with -s or -t`),
    message,
  );
  assert.deepEqual(await pathsIn(both), ['ETHUSD.BITMEX', 'SOLUSD.BITMEX', 'XBTUSD.BITMEX']);

  // An earlier run counts as long as its output exists.
  const out = join(dir, 'out');
  const first = await exportFolder(days, out, [...flags, '-s', 'XBTUSD'], env);
  assert.equal(first.exitCode, 0);
  const earlier = String(first.files[0]?.path);
  const refused = await exportFolder(days, out, [...flags, '-s', 'PERPETUALS'], env);
  assert.equal(refused.exitCode, 2);
  assert.deepEqual(errorsOf(refused), [
    `${earlier}: both ${single} and ${group} give this data, and the first was exported before; leave out the second, write it to another folder, or replace the first with export --existing overwrite`,
  ]);
  assert.deepEqual(await pathsIn(out), ['XBTUSD.BITMEX']);
  const again = await exportFolder(days, out, [...flags, '-s', 'XBTUSD', '--existing', 'overwrite'], env);
  assert.equal(again.exitCode, 0, 'a job replaces its own outputs');
  await rm(join(out, earlier));
  const grouped = await exportFolder(days, out, [...flags, '-s', 'PERPETUALS'], env);
  assert.equal(grouped.exitCode, 0);
  assert.deepEqual(await pathsIn(out), ['ETHUSD.BITMEX', 'XBTUSD.BITMEX']);
});

test('one data type replaces another in the same folder only on request', async (t) => {
  const dir = await tempDir(t);
  const days = join(dir, 'days');
  const quote = ['XBTUSD', 1, 1, '1', '2', '3', '4'] as const;
  const ticker = [['XBTUSD', 0, 0, '5', '6', '7', '8'] as const, quote];
  await writeDay(days, { name: 'bitmex_quotes_2024-03-01_XBTUSD', columns: QUOTE_COLUMNS, rows: [quote] });
  await writeDay(days, {
    name: 'bitmex_book_ticker_2024-03-01_XBTUSD',
    columns: QUOTE_COLUMNS,
    rows: ticker,
  });
  const out = join(dir, 'catalog');
  const run = (type: string, ...more: readonly string[]) =>
    exportFolder(days, out, ['--offline', ...PRECISION_FLAGS, '-t', type, ...more], {
      XDG_CACHE_HOME: join(dir, 'cache'),
    });
  const statusOf = ({ events }: Awaited<ReturnType<typeof run>>): unknown =>
    events.find(({ event }) => event === 'file')?.['status'];

  const [quotes] = (await run('quotes')).files;
  const refused = await run('book_ticker');
  assert.equal(refused.exitCode, 2);
  assert.match(
    JSON.stringify(refused.events),
    /both bitmex_quotes_.* and bitmex_book_ticker_.* give this data, and the first was exported before/,
  );
  assert.deepEqual(refused.files, [quotes]);
  assert.equal(statusOf(await run('quotes')), 'skipped');

  // The file has another name, so the former one is removed.
  const replaced = await run('book_ticker', '--existing', 'overwrite');
  assert.equal(replaced.exitCode, 0);
  assert.deepEqual(
    replaced.files.map(({ path, rows }) => [path === quotes?.path, rows.length]),
    [[false, 2]],
  );
  assert.equal(statusOf(await run('book_ticker')), 'skipped');
  assert.equal((await run('quotes')).exitCode, 2);
  const verified = await runHere(['verify', out, '--json'], { env: {} });
  assert.equal(verified.exitCode, 0, verified.stdout);
});

test('of two jobs with the same data the first is exported, also if the second is much shorter', async (t) => {
  const dir = await tempDir(t);
  for (const [first, second, symbol] of [
    ['BTC-PERPETUAL', 'PERPETUALS', 'BTC-PERPETUAL'],
    ['PERPETUALS', 'XBTUSD', 'XBTUSD'],
  ] as const) {
    const days = join(dir, first);
    const writeTrades = (name: string, count: number): Promise<void> => {
      const rows = Array.from(
        { length: count },
        (_, i) => [symbol, i, i, String(i), 'buy', '3', '1'] as const,
      );
      return writeDay(days, { name: `deribit_trades_2024-03-01_${name}`, columns: TRADE_COLUMNS, rows });
    };
    await writeTrades(first, 20_000);
    await writeTrades(second, 2);
    for (const jobs of ['1', '2']) {
      const flags = ['--offline', ...PRECISION_FLAGS, '-j', jobs];
      const env = { XDG_CACHE_HOME: join(dir, 'cache') };
      const { exitCode, events, files } = await exportFolder(days, join(dir, first + jobs), flags, env);
      const results = events.filter(({ event }) => event === 'file');
      assert.deepEqual(results.map(({ status, source }) => [status, source]).sort(), [
        ['converted', join(days, `deribit_trades_2024-03-01_${first}.csv.gz`)],
        ['failed', join(days, `deribit_trades_2024-03-01_${second}.csv.gz`)],
      ]);
      assert.match(JSON.stringify(results), /both .* give this data; select one with -s or -t/);
      assert.equal(exitCode, 2);
      assert.deepEqual(
        files.map(({ rows }) => rows.length),
        [20_000],
      );
    }
  }
});
