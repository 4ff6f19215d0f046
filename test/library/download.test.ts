import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { download, plan, TickhaulError } from '../../src/index.js';
import { envOf, jsonLines, succeeded, tickhaul } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { tradesOf } from '../helpers/selection.js';
import { namesIn, tempDir } from '../helpers/temp.js';
import { errorOf, eventsOf, filesOf, ONE, place, timeless } from './calls.js';

const NAME = 'binance-futures_trades_2024-03-01_BTCUSDT.csv.gz';

test('events and summary equal those of --json, for a plan and for a download; settings come from the environment', async (t) => {
  const { service, dir } = await place(t);
  const days = { ...ONE, date: undefined, from: '2024-03-01', to: '2024-03-03' };
  const words = tradesOf('2024-03-01', '2024-03-03');
  for (const [name, call] of [
    ['plan', plan],
    ['download', download],
  ] as const) {
    const env = envOf(service, await tempDir(t));
    const lines = jsonLines(await tickhaul([name, ...words, '--json', '-j', '1'], { env }));
    const run = call({ ...days, concurrency: 1 });
    const events = await eventsOf(run);
    assert.deepEqual(timeless(events), timeless(lines), name);
    assert.deepEqual(await run, events.at(-1));
  }
  assert.equal((await namesIn(dir)).length, 2);
});

test('options override the environment', async (t) => {
  const { service, dir } = await place(t);
  const { apiUrl, datasetsUrl, apiKey } = service;
  Object.assign(process.env, { TICKHAUL_API_URL: 'http://127.0.0.1:9', TICKHAUL_API_KEY: 'wrong' });
  const own = join(dir, 'own');
  const summary = await download({ ...ONE, date: '2024-03-02', apiUrl, datasetsUrl, apiKey, dir: own });
  assert.deepEqual([summary.exitCode, summary.downloaded], [0, 1]);
  assert.equal((await namesIn(own)).length, 1);
});

test('a layout may be a function, and no path leads out of the folder', async (t) => {
  const { dir } = await place(t);
  const days = { ...ONE, date: undefined, from: '2024-03-01', to: '2024-03-03' };
  const summary = await download({
    ...days,
    layout: ({ exchange, dataType, symbol, date, name }) =>
      date === '2024-03-01' ? `${exchange}/${dataType}/${symbol}.${date}` : `${name}.csv.gz`,
  });
  assert.equal(summary.downloaded, 2);
  assert.deepEqual(await namesIn(join(dir, 'binance-futures', 'trades')), ['BTCUSDT.2024-03-01.csv.gz']);
  assert.deepEqual((await namesIn(dir)).slice(1), ['binance-futures_trades_2024-03-02_BTCUSDT.csv.gz']);

  const wrong: readonly (readonly [layout: () => unknown, message: RegExp])[] = [
    [() => '../up', /^layout "\.\.\/up" has an empty, "\." or "\.\." folder/],
    [() => '/root', /^layout "\/root" must be a path under the download folder/],
    [() => '.tickhaul/manifest', /^layout ".tickhaul\/manifest": .tickhaul is reserved by tickhaul/],
    [() => 'one', /^layout: the function names one\.csv\.gz for 2024-03-01 and for 2024-03-02 of BTCUSDT/],
    [() => undefined, /^layout: the function returned no text for binance-futures_trades_2024-03-01_BTCUSDT/],
    [
      () => {
        throw new Error('no such folder');
      },
      /^layout: the function threw for binance-futures_trades_2024-03-01_BTCUSDT: no such folder/,
    ],
  ];
  for (const [layout, message] of wrong) {
    const error = await errorOf(plan({ ...days, layout: layout as () => string }));
    assert.deepEqual([error.code, error.exitCode], ['usage', 2]);
    assert.match(error.message, message);
  }
});

const MISTAKES: readonly (readonly [options: unknown, message: RegExp])[] = [
  [undefined, /^options: expected an object, found nothing$/],
  [{ ...ONE, symbol: 'BTCUSDT' }, /^unknown option "symbol"; did you mean .*symbols/],
  [{ ...ONE, exchange: undefined }, /^exchange is required, for example exchange: 'deribit'$/],
  [{ ...ONE, types: undefined }, /^types is required: data types, such as types: 'trades', or "all"/],
  [{ ...ONE, symbols: [] }, /^symbols: expected a text or a list of texts, found an empty list$/],
  [{ ...ONE, types: 'trade' }, /"trade".*did you mean trades/],
  [
    { ...ONE, existing: 'skp' },
    /^existing: expected one of skip, verify, overwrite, found "skp"; did you mean skip/,
  ],
  [{ ...ONE, failFast: 'yes' }, /^failFast: expected true or false, found a text$/],
  [{ ...ONE, stallTimeout: 'soon' }, /^stallTimeout: "soon" is not a duration/],
  [{ ...ONE, concurrency: 1000 }, /^concurrency: "1000" is not a whole number, 1 to 100$/],
  [{ ...ONE, last: 7 }, /^use only one of: /],
  [{ ...ONE, noKeepCsv: true }, /^noKeepCsv needs convert: name a format, such as convert: 'parquet'$/],
  [{ ...ONE, apiKeyFile: '-' }, /^apiKeyFile: "-" is a stream of the process/],
  [{ ...ONE, apiKey: 'two words' }, /^apiKey: the API key contains a blank/],
  [{ ...ONE, signal: {} }, /^signal: expected an AbortSignal/],
  [{ ...ONE, fromFile: 'list' }, /^fromFile names the files; leave "binance-futures" out$/],
];

test('errors have the name of the option, before any request', async (t) => {
  const { service } = await place(t);
  for (const [options, message] of MISTAKES) {
    const error = await errorOf(download(options as Parameters<typeof download>[0]));
    assert.ok(error instanceof TickhaulError);
    assert.match(error.message, message);
    const { event, exitCode, error: reported } = error.summary;
    assert.deepEqual([error.code, error.exitCode, event, exitCode], ['usage', 2, 'summary', 2]);
    assert.deepEqual(reported, { code: 'usage', message: error.message });
  }
  assert.deepEqual(
    service.requests.filter(({ host }) => host === 'datasets'),
    [],
  );
});

test('each exit code other than 0 rejects with a matching code', async (t) => {
  const { service } = await place(t, { faults: { 'bit-flip': 1 }, keyAccess: [] });
  const corrupt = await errorOf(download({ ...ONE, retries: 0 }));
  assert.deepEqual([corrupt.code, corrupt.exitCode, corrupt.summary.failed], ['corrupt', 6, 1]);
  assert.match(corrupt.message, new RegExp(`^${NAME}: `));

  const unauthorized = await errorOf(download({ ...ONE, date: '2024-03-02' }));
  assert.deepEqual([unauthorized.code, unauthorized.exitCode], ['bad_key', 4]);
  assert.match(unauthorized.message, /^1 day needs an API key, and yours has expired/);

  const pending = { ...ONE, date: '2024-03-10' };
  assert.equal((await download(pending)).pending, 1);
  const strict = await errorOf(plan({ ...pending, strict: true }));
  assert.deepEqual([strict.code, strict.exitCode, strict.summary.pending], ['not_exported', 7, 1]);

  await service.close();
  const away = await errorOf(download({ ...ONE, exchange: 'deribit', retries: 0 }));
  assert.deepEqual([away.code, away.exitCode], ['unreachable', 5]);
});

test('the iterable throws the error after the summary, also if the promise is ignored', async (t) => {
  const { dir } = await place(t);
  const events: object[] = [];
  const failing = async (): Promise<void> => {
    for await (const event of download({ ...ONE, dir: join(dir, 'a-file', 'below') })) events.push(event);
  };
  await writeFile(join(dir, 'a-file'), '');
  const error = await errorOf(failing());
  assert.ok(error instanceof TickhaulError);
  assert.equal(error.exitCode, 8);
  assert.equal(events.at(-1), error.summary);
  // An unhandled rejection would end this process.
  await new Promise((resolve) => setImmediate(resolve));
});

test('a signal ends a run cleanly', async (t) => {
  const { dir } = await place(t, { rate: 20_000, rows: 3000 });
  const controller = new AbortController();
  const enough = new Error('enough');
  const run = download({ ...ONE, signal: controller.signal, convert: 'parquet' });
  const reading = (async () => {
    for await (const event of run) if (event.event === 'plan') controller.abort(enough);
  })();
  const error = await errorOf(run);
  assert.deepEqual([error.code, error.exitCode, error.summary.unfinished], ['interrupted', 130, 1]);
  assert.equal(error.cause, enough);
  assert.equal(await errorOf(reading), error);
  assert.deepEqual(
    (await namesIn(dir)).filter((name) => name.endsWith('.csv.gz')),
    [],
  );

  for (const call of [plan, download]) {
    const early = await errorOf(call({ ...ONE, signal: AbortSignal.abort(enough) }));
    assert.deepEqual([early.code, early.exitCode, early.cause], ['interrupted', 130, enough]);
  }
});

test('leaving the events ends the run; an error of the consumer is not wrapped', async (t) => {
  const { dir } = await place(t, { rate: 20_000, rows: 3000 });
  const run = download(ONE);
  for await (const event of run) if (event.event === 'plan') break;
  const error = await errorOf(run);
  assert.deepEqual([error.code, error.exitCode, error.summary.unfinished], ['interrupted', 130, 1]);
  // The lock is released.
  assert.ok(!(await readdir(join(dir, '.tickhaul'))).includes('lock'));

  const own = new Error('own');
  const throwing = async (): Promise<void> => {
    for await (const _ of download(ONE)) throw own;
  };
  assert.equal(await errorOf(throwing()), own);
});

test('dryRun, fromFile, failedTo and frozen', async (t) => {
  const { dir } = await place(t);
  const planned = download({ ...ONE, dryRun: true });
  assert.deepEqual(
    filesOf(await eventsOf(planned)).map(({ status }) => status),
    ['download'],
  );
  const list = join(dir, 'list');
  await writeFile(list, `${JSON.stringify(filesOf(await eventsOf(plan(ONE)))[0])}\n`);
  const failedTo = join(dir, 'failed');
  assert.equal((await download({ fromFile: list, failedTo })).downloaded, 1);
  const lock = join(dir, 'lock');
  await succeeded(runHere(['lock', '--dir', dir, '-o', lock]));
  assert.equal((await download({ frozen: lock, dir: join(dir, 'other') })).downloaded, 1);
  await writeFile(join(dir, 'other', 'extra.csv.gz'), '');
  const error = await errorOf(download({ frozen: lock, dir: join(dir, 'other') }));
  assert.deepEqual([error.code, error.exitCode, error.summary.extra], ['changed', 6, 1]);
});
