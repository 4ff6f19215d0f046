import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
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
import { succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { tempDir } from '../../helpers/temp.js';

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
  const replaced = await succeeded(run('book_ticker', '--existing', 'overwrite'));
  assert.deepEqual(
    replaced.files.map(({ path, rows }) => [path === quotes?.path, rows.length]),
    [[false, 2]],
  );
  assert.equal(statusOf(await run('book_ticker')), 'skipped');
  assert.equal((await run('quotes')).exitCode, 2);
  await succeeded(runHere(['verify', out, '--json'], { env: {} }));

  const changed = join(out, replaced.files[0]?.path ?? '');
  await writeFile(changed, 'other');
  const flags = ['--offline', ...PRECISION_FLAGS, '-t', 'quotes', '--existing', 'overwrite'];
  const kept = await succeeded(runHere(['export', 'nautilus', days, '-o', out, ...flags], { env: {} }));
  assert.match(kept.stderr, /keeping this output of a former export: it has 5 bytes/);
  assert.equal(await readFile(changed, 'utf8'), 'other');
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

test('of day files with the same rows one is exported, and one with rows of other days warns', async (t) => {
  const dir = await tempDir(t);
  const rows = Array.from({ length: 3000 }, (_, i) => ['XBTUSD', i, i, String(i), 'buy', '3', '1'] as const);
  const late = ['XBTUSD', 1, 86_400_000_500, '', 'buy', '3', '1'] as const;
  const env = { XDG_CACHE_HOME: join(dir, 'cache') };
  const dayName = (day: string): string => `bitmex_trades_2024-03-${day}_XBTUSD`;
  for (const [name, ...flags] of [
    ['one', '-j', '1'],
    ['four', '-j', '4'],
    ['bars', '-j', '4', '--as', 'trade_bar_1m'],
  ] as const) {
    const days = join(dir, name);
    for (const day of ['01', '09', '10'])
      await writeDay(days, { name: dayName(day), columns: TRADE_COLUMNS, rows: [...rows, late] });
    const out = join(dir, `${name}-out`);
    const exported = await exportFolder(days, out, ['--offline', ...PRECISION_FLAGS, ...flags], env);
    const results = exported.events.filter(({ event }) => event === 'file');
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ['converted', 'failed', 'failed']);
    for (const { error, status } of results)
      if (status === 'failed') assert.match(JSON.stringify(error), /"usage".*give this data; select one/);
    assert.equal(exported.exitCode, 2);
    assert.equal(exported.files.length, 1);
    // Only of the file that is exported.
    assert.match(
      warningsOf(exported),
      /^[^\n]*: rows with a local timestamp outside of the file's UTC day, such as 2024-03-0[12]T00:00:00\.000Z; a catalog refuses files that overlap$/,
    );
  }
});
