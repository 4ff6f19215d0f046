import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  audit,
  convert,
  coverage,
  download,
  export as exportDayFiles,
  plan,
  sync,
  TickhaulError,
  verify,
} from '../../src/index.js';
import { jsonLines, tickhaul } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { namesIn } from '../helpers/temp.js';
import { errorOf, eventsOf, filesOf, ONE, place, timeless } from './calls.js';

const DAYS = { ...ONE, date: undefined, from: '2024-03-01', to: '2024-03-04' };
const STEM = 'binance-futures_trades_2024-03-02_BTCUSDT';

test('verify fails for missing files, and repairs them', async (t) => {
  const { dir } = await place(t);
  await download(DAYS);
  const checked = verify({ quick: true });
  assert.equal((await checked).verified, 3);

  await rm(join(dir, `${STEM}.csv.gz`));
  const run = verify({ paths: [join(dir, `${STEM}.csv.gz`)] });
  const error = await errorOf(run);
  assert.deepEqual([error.code, error.exitCode, error.summary.missing], ['missing', 6, 1]);
  assert.equal((await verify({ repair: true, jobs: 1 })).repaired, 1);

  const both = await errorOf(verify({ repair: true, forget: true }));
  assert.match(both.message, /^forget and repair: a missing file is either forgotten or downloaded again/);
});

test('convert writes files with a layout and computed types', async (t) => {
  const { dir } = await place(t);
  await download(ONE);
  const out = join(dir, 'out');
  const run = convert({ paths: dir, out, layout: ({ date, symbol }) => `${symbol}/${date}`, rowGroup: '4k' });
  const [file] = filesOf(await eventsOf(run));
  assert.deepEqual([file?.status, file?.path], ['converted', join(out, 'BTCUSDT', '2024-03-01.parquet')]);
  assert.equal((await run).converted, 1);

  await convert({ paths: [dir], format: 'ndjson', as: ['trade_bar_1m'], jobs: 1 });
  assert.ok((await namesIn(dir)).includes('binance-futures_trade_bar_1m_2024-03-01_BTCUSDT.ndjson'));

  const snappy = await errorOf(convert({ paths: dir, format: 'ndjson', compression: 'snappy' }));
  assert.equal(snappy.exitCode, 2);
  const nothing = await errorOf(convert({ paths: join(dir, 'nowhere') }));
  assert.equal(nothing.exitCode, 2);
});

test('audit judges the days of a folder, and rejects with the code of failOn', async (t) => {
  const { dir } = await place(t);
  await download({ ...ONE });
  const html = join(dir, 'audit.html');
  const run = audit({ html });
  const events = await eventsOf(run);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['plan', 'day', 'note', 'summary'],
  );
  const day = events.find(({ event }) => event === 'day');
  assert.ok(day?.event === 'day');
  assert.deepEqual([day.symbol, day.date, day.condition], ['BTCUSDT', ONE.date, 'available']);
  assert.equal(day.checks?.['local_order']?.count, 0);
  const summary = await run;
  assert.equal(summary.available, 1);
  assert.ok(summary.bytes > 0);
  assert.match(await readFile(html, 'utf8'), /<dt>days available<\/dt><dd>1<\/dd>/);
  assert.equal(
    (await audit({ types: 'trades', gap: '2m', jump: 0.5, degrade: ['gap', 'crossed'] })).available,
    1,
  );
  assert.equal((await download({ ...ONE, existing: 'overwrite', audit: true })).available, 1);
  assert.equal((await audit()).bytes, 0);
  const failed = await errorOf(audit({ failOn: 'available' }));
  assert.ok(failed instanceof TickhaulError);
  assert.deepEqual([failed.code, failed.exitCode, failed.summary.available], ['audit_failed', 10, 1]);
  assert.match(failed.message, /^1 day with a condition or a failed check among: available$/);
  const unknown = await errorOf(audit({ failOn: ['available', 'gaps'] }));
  assert.deepEqual([unknown.code, unknown.exitCode], ['usage', 2]);
  assert.match(unknown.message, /^failOn: "gaps" is not a known name; did you mean gap/);
});

test('export yields events, and rejects with the errors of the command', async (t) => {
  const { dir } = await place(t);
  await download({
    exchange: 'deribit',
    types: ['trades', 'incremental_book_L2'],
    symbols: 'BTC-PERPETUAL',
    date: '2024-03-01',
  });
  const options = { target: 'hftbacktest', paths: [dir], out: join(dir, 'npz') } as const;
  const run = exportDayFiles({ ...options, snapshots: 'ignore-sod', baseLatency: '5us' });
  const events = await eventsOf(run);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['plan', 'file', 'summary'],
  );
  const { converted, scripts } = await run;
  const path = join(dir, 'npz', 'run_hftbacktest.py');
  assert.deepEqual([converted, scripts], [1, [{ path, command: `python3 ${path}` }]]);
  const error = await errorOf(exportDayFiles({ ...options, timeframe: ['1m'] }));
  assert.ok(error instanceof TickhaulError);
  assert.deepEqual([error.code, error.exitCode], ['usage', 2]);
  assert.match(error.message, /timeframe has no effect on hftbacktest; omit it/);
});

test('coverage returns the document of --json, yields its series, and writes the page', async (t) => {
  const { dir } = await place(t);
  await download({ ...ONE, types: 'trades,quotes' });
  await download({ ...ONE, date: '2024-03-03' });
  const html = join(dir, 'coverage.html');
  const run = coverage({ symbols: ['BTC*'], html });
  const events = await eventsOf(run);
  const { totals, series } = await run;
  const { stdout } = await runHere(['coverage', dir, '-s', 'BTC*', '--json']);
  assert.deepEqual({ totals, series }, JSON.parse(stdout));
  assert.deepEqual(
    events,
    series.map((one) => ({ event: 'series', ...one })),
  );
  assert.ok((await namesIn(dir)).includes('coverage.html'));
  const error = await errorOf(coverage({ types: 'trade' as 'trades' }));
  assert.deepEqual([error.code, error.exitCode, error.summary.exitCode], ['usage', 2, 2]);
});

test('sync downloads the jobs of a config file like the command', async (t) => {
  const { service, dir } = await place(t);
  const config = join(dir, 'jobs.yaml');
  const job = 'exchange: binance-futures, types: trades, symbols: BTCUSDT, from: "2024-03-08"';
  await writeFile(config, `jobs:\n  - { name: btc, ${job} }\n`);
  const env = { ...process.env, TICKHAUL_DIR: join(dir, 'command') } as Record<string, string>;
  const reported = jsonLines(await tickhaul(['sync', '--config', config, '--json', '-j', '1'], { env }));
  const run = sync({ config, concurrency: 1 });
  const events = await eventsOf(run);
  const jobless = (all: readonly object[]) => timeless(all).map((event) => ({ ...event, jobs: undefined }));
  assert.deepEqual(jobless(events), jobless(reported));
  assert.deepEqual(
    (await run).jobs?.map(({ name, downloaded }) => [name, downloaded]),
    [['btc', 2]],
  );

  const unknown = await errorOf(sync({ config, job: 'btcc' }));
  assert.match(unknown.message, /^job: there is no job named "btcc"; did you mean btc/);
  await writeFile(
    config,
    'jobs:\n  - { name: btc, exchange: deribit, types: trades, symbols: all, frm: 1 }\n',
  );
  const wrong = await errorOf(sync({ config }));
  assert.match(wrong.message, /jobs\.yaml:2: unknown key "frm"; did you mean from/);
  assert.ok(service.requests.length > 0);
});

test('a plan of many files is generated while it is read', async (t) => {
  await place(t);
  const run = plan({ exchange: 'binance-futures', types: 'all', symbols: 'all', from: '2024-01-01' });
  const seen: string[] = [];
  for await (const event of run) {
    seen.push(event.event);
    if (event.event === 'file') break;
  }
  assert.deepEqual(seen, ['plan', 'file']);
  assert.equal((await errorOf(run)).code, 'interrupted');
});

test('one selection filters what each function reads, by the same options', async (t) => {
  const { dir } = await place(t);
  await download({ ...DAYS, types: 'trades,quotes' });
  const some = { types: ['trades'], days: '2024-03-01,2024-03-03', symbolTypes: 'perpetual' } as const;
  assert.equal((await verify({ ...some, quick: true })).verified, 2);
  assert.equal((await audit(some)).available, 2);
  assert.equal((await convert({ ...some, dir, out: join(dir, 'out') })).converted, 2);
  assert.equal((await coverage(some)).totals.present, 2);
  assert.equal((await coverage({ ...some, days: undefined, free: true })).totals.present, 1);
  const none = await errorOf(convert({ dir, types: 'trade' as 'trades' }));
  assert.equal(none.message, 'types: there is no day file of data type "trade"; did you mean trades?');
  const unknown = await errorOf(convert({} as Parameters<typeof convert>[0]));
  assert.match(unknown.message, /^paths is required/);
});
