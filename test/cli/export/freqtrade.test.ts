import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readFeather, writeTrades } from '../../export/freqtrade/exporting.js';
import { duckFor } from '../../format/parquet/readers.js';
import { type Finished, jsonLines, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { namesIn, tempDir } from '../../helpers/temp.js';

/** Status and output of each result. */
function resultsOf(finished: Finished, out: string): readonly string[] {
  assert.equal(finished.exitCode, 0, finished.stderr);
  return jsonLines(finished)
    .filter(({ event }) => event === 'file')
    .map(({ status, path }) => `${status} ${String(path).slice(out.length + 1)}`)
    .sort();
}

test('exports pairs of several symbols and days, named by instrument metadata that is kept', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { rows: 2000 });
  const period = ['--from', '2024-03-01', '--to', '2024-03-03'];
  const symbols = ['-t', 'trades', '-s', 'XBTUSD,ETHUSD'];
  await succeeded(runHere(['download', 'bitmex', ...symbols, ...period], { env }));
  const out = join(dir, 'out');
  const base = ['export', 'freqtrade', dir, '-o', out, '--timeframe', '5m,1d', '--json'];
  const names = ['BTC_USD_BTC', 'ETH_USD_ETH'].flatMap((name) =>
    ['-1d-futures', '-5m-futures', '-trades'].map((kind) => `futures/${name}${kind}.feather`),
  );
  assert.deepEqual(
    resultsOf(await runHere(base, { env }), out),
    names.map((name) => `converted ${name}`),
  );
  // Without a network, by the copy of the metadata.
  const { TICKHAUL_API_KEY: _, ...noKey } = env;
  const again = await runHere([...base, '--offline', '-q'], { env: noKey });
  assert.deepEqual(
    resultsOf(again, out),
    names.map((name) => `skipped ${name}`),
  );

  const duck = await duckFor(t);
  const candles = await duck.query(
    `SELECT timestamp // 300000000 * 300000000000, arg_min(price, i), max(price), min(price), arg_max(price, i), sum(amount)
     FROM (SELECT *, row_number() OVER (ORDER BY timestamp, local_timestamp, r) AS i
       FROM (SELECT *, row_number() OVER () AS r FROM read_csv('${dir}/bitmex_trades_*_XBTUSD.csv.gz')))
     GROUP BY 1 ORDER BY 1`,
  );
  assert.ok(candles.length > 100);
  const { date, open, high, low, close, volume } = await readFeather(
    join(out, 'futures/BTC_USD_BTC-5m-futures.feather'),
  );
  assert.deepEqual(
    date?.map((start, i) => [start, open?.[i], high?.[i], low?.[i], close?.[i], volume?.[i]]),
    candles.filter(([start]) => Number(start) >= Date.parse('2024-03-01') * 1e6),
  );

  const file = join(out, 'futures/BTC_USD_BTC-5m-futures.feather');
  const inspected = await succeeded(runHere(['inspect', file, '--json'], { env }));
  const { format, rows, columns, first } = JSON.parse(inspected.stdout);
  assert.deepEqual([format, rows], ['arrow', date?.length]);
  assert.deepEqual(
    columns.map((column: { name: string }) => column.name),
    ['date', 'open', 'high', 'low', 'close', 'volume'],
  );
  assert.deepEqual([first[0].date, first[0].close], [Number(date?.[0]) / 1000, close?.[0]]);
});

test('without metadata, --pair names the pair', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  await runHere(['download', 'bitmex', '-t', 'trades', '-s', 'XBTUSD', '--date', '2024-03-01'], { env });
  const out = join(dir, 'out');
  const base = ['export', 'freqtrade', dir, '-o', out, '--offline'];
  const { exitCode, stderr } = await runHere(base, { env });
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /bitmex XBTUSD: its base and quote currency are unknown; set --pair BASE\/QUOTE/);
  await succeeded(runHere([...base, '--pair', 'XBT/USD'], { env }));
  assert.deepEqual(await namesIn(out), ['XBT_USD-1m.feather', 'XBT_USD-trades.feather']);
  const refused = await runHere([...base, '--pair', 'XBT/USD', '--timeframe', '7m'], { env });
  assert.equal(refused.exitCode, 2, refused.stderr);
  assert.match(refused.stderr, /--timeframe: "7m" does not divide a day/);
});

test('futures have funding rates and mark candles of their tickers', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { rows: 2000 });
  const series = ['download', 'binance-futures', '-s', 'BTCUSDT'];
  await runHere([...series, '-t', 'trades', '--date', '2024-03-01'], { env });
  const out = join(dir, 'out');
  const base = ['export', 'freqtrade', dir, '-o', out, '--timeframe', '1h'];
  const without = await runHere(base, { env });
  assert.match(
    without.stderr,
    /without derivative_ticker there are no funding rates, and freqtrade charges none/,
  );

  await runHere([...series, '-t', 'derivative_ticker', '--from', '2024-03-01', '--to', '2024-03-03'], {
    env,
  });
  const exported = await runHere([...base, '--json'], { env });
  assert.match(exported.stderr, /rate of 2024-03-01 00:00 is in the derivative_ticker file of 2024-02-29/);
  const pair = 'futures/BTC_USDT_USDT';
  assert.deepEqual(resultsOf(exported, out), [
    `converted ${pair}-1h-funding_rate.feather`,
    `converted ${pair}-1h-mark.feather`,
    ...['-1h-futures', '-trades'].map((kind) => `skipped ${pair}${kind}.feather`),
  ]);
  const duck = await duckFor(t);
  const tickers = `(SELECT *, row_number() OVER () AS r FROM read_csv('${dir}/*_derivative_ticker_*_BTCUSDT.csv.gz'))`;
  const marks = await duck.query(
    `SELECT timestamp // 3600000000 * 3600000000000, arg_min(mark_price, (timestamp, r)), max(mark_price),
       min(mark_price), arg_max(mark_price, (timestamp, r)), 0.0
     FROM ${tickers} WHERE mark_price IS NOT NULL GROUP BY 1 ORDER BY 1`,
  );
  const rates = await duck.query(
    `SELECT funding_timestamp * 1000, arg_max(funding_rate, (timestamp, r)), 0.0, 0.0, 0.0, 0.0
     FROM ${tickers} WHERE timestamp <= funding_timestamp AND funding_rate IS NOT NULL
       AND funding_timestamp <= epoch_us('2024-03-03'::TIMESTAMP) GROUP BY 1 ORDER BY 1`,
  );
  assert.ok(marks.length > 40 && rates.length >= 5, `${marks.length} candles, ${rates.length} rates`);
  for (const [kind, expected] of [
    ['funding_rate', rates],
    ['mark', marks],
  ] as const) {
    const { date, open, high, low, close, volume } = await readFeather(
      join(out, `${pair}-1h-${kind}.feather`),
    );
    assert.deepEqual(
      date?.map((start, i) => [Number(start), open?.[i], high?.[i], low?.[i], close?.[i], volume?.[i]]),
      expected.map(([start, ...values]) => [Number(start), ...values.map(Number)]),
      kind,
    );
  }
});

test('removes former outputs, but no file that is not as it was recorded', async (t) => {
  const dir = await tempDir(t);
  const days = join(dir, 'days');
  await writeTrades(days, [{ time: 0, price: 7, amount: 1 }]);
  const out = join(dir, 'out');
  const pathOf = (kind: string): string => join(out, `BTC_USDT-${kind}.feather`);
  await mkdir(out);
  await writeFile(pathOf('1m'), 'candles of freqtrade');
  const run = (timeframes: string, ...more: readonly string[]): Promise<Finished> => {
    const words = ['--offline', '--pair', 'BTC/USDT', '--timeframe', timeframes, '--json', ...more];
    return runHere(['export', 'freqtrade', days, '-o', out, ...words]);
  };
  const first = await succeeded(run('1m,5m,15m'));
  assert.equal(first.stderr, `warning ${pathOf('1m')}: replaced a file that the export log does not have\n`);

  const { length } = await readFile(pathOf('5m'));
  const { length: bytes } = await readFile(pathOf('15m'));
  await writeFile(pathOf('5m'), 'x'.repeat(length));
  await writeFile(pathOf('15m'), 'other');
  const second = await succeeded(run('1h'));
  const kept = (kind: string, change: string): string =>
    `warning ${pathOf(kind)}: keeping this output of a former export: it ${change}; delete it if you do not need it`;
  assert.deepEqual(second.stderr.trimEnd().split('\n'), [
    `${pathOf('1m')}: removed this output of a former export`,
    kept('5m', 'does not have the recorded sha256'),
    kept('15m', `has 5 bytes, ${bytes} were recorded`),
  ]);
  assert.deepEqual(
    (await namesIn(out)).filter((name) => name.startsWith('BTC')),
    ['15m', '1h', '5m', 'trades'].map((kind) => `BTC_USDT-${kind}.feather`),
  );
  assert.equal(String(await readFile(pathOf('15m'))), 'other');
  // They are no longer recorded.
  const third = await run('1h', '--existing', 'overwrite');
  assert.deepEqual([third.exitCode, third.stderr], [0, '']);
});
