import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  exportFolder,
  PRECISION_FLAGS,
  readCatalog,
  readInstruments,
  warningsOf,
  writeDay,
} from '../../export/nautilus/catalog.js';
import { killAndWait } from '../../helpers/clean-up.js';
import { envOf, start, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';

const PERIOD = ['--from', '2024-03-01', '--to', '2024-03-03'];

test('exports downloaded days with ids and precisions from metadata, and only once', async (t) => {
  const { service, dir, env } = await sandboxAndFolder(t);
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
  await succeeded(runHere(['verify', out, '--json'], { env }));

  const instruments = await readInstruments(out);
  const [path = ''] = Object.keys(instruments);
  assert.match(path, /^crypto_perpetual\/BTCUSDT-PERP\.BINANCE\/2[-T0-9]+Z_2[-T0-9]+Z\.parquet$/);
  assert.deepEqual(
    Object.values(instruments).map((row) => {
      const { id, price_precision, size_precision } = row as Record<string, unknown>;
      return [id, price_precision, size_precision];
    }),
    [
      ['BTCUSDT-PERP.BINANCE', 1, 3],
      ['ETHUSD.BITMEX', 2, 3],
      ['XBTUSD.BITMEX', 1, 3],
    ],
  );
  // An instrument is a file of the export like any other: verify sees damage, and the next export mends it.
  await writeFile(join(out, 'data', path), 'damaged');
  assert.equal((await runHere(['verify', out, '-q'], { env })).exitCode, 6);
  await exportFolder(dir, out, ['--offline'], env);
  assert.deepEqual(await readInstruments(out), instruments);
  const rust = join(dir, 'rust');
  await exportFolder(dir, rust, ['--catalog', 'rust', '--exchange', 'binance-futures', '--offline'], env);
  assert.match(
    Object.keys(await readInstruments(rust)).join(),
    /^instruments\/BTCUSDT-PERP\.BINANCE\/[^,]+$/,
  );

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
