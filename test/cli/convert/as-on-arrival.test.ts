import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { failedWith, jsonLines, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { namesIn, tempDir } from '../../helpers/temp.js';

const DAYS = ['binance-futures', '-s', 'BTCUSDT', '--from', '2024-03-01', '--to', '2024-03-03'];
const AS = ['--convert', 'parquet', '--as', 'trade_bar_1m,quote_1m'];
const TYPES = ['-t', 'trades,incremental_book_L2,quotes'];

test('download --as reports each output in plan and run, and verify, repair, lock and coverage include it', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const run = (...args: readonly string[]) => runHere(args, { env });
  const args = [...DAYS, ...TYPES, ...AS, '--no-keep-csv', '--json'];

  const dry = jsonLines(await run('download', '-n', ...args)).filter(({ event }) => event === 'file');
  const planned = dry.flatMap((line) => (line['outputs'] as string[] | undefined) ?? []).sort();
  assert.equal(dry.length, 6);
  assert.equal(planned.length, 4);
  const first = await succeeded(run('download', ...args));
  assert.match(first.stderr, /skipping files of quotes: trade_bar_1m is computed from trades/);
  const lines = jsonLines(first);
  const made = lines.filter(({ status }) => status === 'converted');
  assert.deepEqual(made.map(({ path }) => path).sort(), planned);
  assert.ok(made.every(({ source, rows }) => String(source).endsWith('.csv.gz') && Number(rows) > 0));
  const summary = lines.at(-1);
  assert.deepEqual(
    [summary?.['downloaded'], summary?.['converted'], summary?.['unfinished']],
    [6, 4, undefined],
  );
  const names = await namesIn(dir);
  assert.deepEqual(
    names.filter((name) => name.endsWith('.csv.gz')).map((name) => name.split('_')[1]),
    ['quotes', 'quotes'],
    'nothing is made of them, so they stay',
  );
  assert.equal(jsonLines(await run('plan', ...args)).at(-1)?.['skip'], 6);
  assert.equal(jsonLines(await run('download', ...args)).at(-1)?.['skipped'], 6);

  assert.equal(jsonLines(await run('verify', '--json')).at(-1)?.['verified'], 6);
  const [bar = '', quote = ''] = ['trade_bar_1m', 'quote_1m'].map((name) =>
    planned.find((path) => path.includes(name)),
  );
  await rm(join(dir, bar));
  await writeFile(join(dir, quote), 'cut off');
  const repaired = jsonLines(await run('verify', '--repair', '--json'));
  assert.deepEqual(
    repaired
      .filter(({ status }) => status === 'repaired')
      .map(({ path }) => path)
      .sort(),
    [quote, bar],
  );
  assert.deepEqual(await namesIn(dir), names);
  assert.equal(jsonLines(await run('download', ...args)).at(-1)?.['skipped'], 6);

  const lock = await succeeded(run('lock', '-o', '-'));
  assert.doesNotMatch(lock.stdout, /parquet/);
  const coverage = await succeeded(run('coverage', '--json'));
  assert.doesNotMatch(coverage.stdout, /"dataType":"(trade_bar|quote)_1m/);
});

test('sync converts to the types of each job, nothing twice, and settings at the top apply to all jobs', async (t) => {
  const { service, env } = await sandboxAndFolder(t);
  const config = join(await tempDir(t), 'tickhaul.yaml');
  const job = (name: string, more = ''): string =>
    `  - { name: ${name}, exchange: binance-futures, types: trades, symbols: BTCUSDT, date: 2024-03-01${more} }\n`;
  await writeFile(
    config,
    `convert: parquet\nas: trade_bar_1m\njobs:\n${job('a')}${job('b', ', as: [rows, trade_bar_5m]')}`,
  );
  const sync = async () => jsonLines(await runHere(['sync', '--config', config, '--json'], { env }));
  const first = await sync();
  const summary = first.at(-1);
  assert.deepEqual(
    ['exitCode', 'downloaded', 'verified', 'converted'].map((key) => summary?.[key]),
    [0, 1, 1, 3],
  );
  const outputs = first
    .filter(({ status }) => status === 'converted')
    .map(({ path, job }) => `${job} ${path}`);
  const stem = '2024-03-01_BTCUSDT.parquet';
  assert.deepEqual(outputs.sort(), [
    `a binance-futures_trade_bar_1m_${stem}`,
    `b binance-futures_trade_bar_5m_${stem}`,
    `b binance-futures_trades_${stem}`,
  ]);
  assert.deepEqual(
    [(await sync()).at(-1)?.['skipped'], service.requests.filter(({ host }) => host === 'datasets').length],
    [2, 1],
  );

  await writeFile(config, `convert: parquet\njobs:\n${job('a')}${job('b', ', as: trade_bar_1w')}`);
  await failedWith(
    runHere(['sync', '--config', config], { env }),
    2,
    /tickhaul\.yaml:4: as: "trade_bar_1w" is not a computed type; did you mean trade_bar_10080m/,
  );
});

test('download makes CSV of rows and of bars by rules, which plan, download, verify and repair keep', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const words = ['binance-futures', '-s', 'BTCUSDT', '--date', '2024-03-01', '-t', 'trades', '--json'];
  const download = async (...more: readonly string[]) => {
    const as = ['--convert', 'csv', '--as', 'rows,trade_bar_1h'];
    const result = await succeeded(runHere(['download', ...words, ...as, ...more], { env }));
    return jsonLines(result)
      .filter(({ status }) => status === 'converted')
      .map(({ path }) => path);
  };
  const day = '2024-03-01_BTCUSDT';
  const [rows, bars] = [`binance-futures_trades_${day}.csv`, `binance-futures_trade_bar_60m_${day}.csv`];
  const rules = ['--fill', '--bar-time', 'open'];
  assert.deepEqual((await download(...rules)).sort(), [bars, rows]);
  const source = gunzipSync(await readFile(join(dir, `${rows}.gz`))).toString();
  assert.equal(await readFile(join(dir, rows), 'utf8'), source);
  const filled = await readFile(join(dir, bars), 'utf8');
  const [first = '', second = ''] = filled.split('\n').slice(1);
  assert.equal(Number(second.split(',')[2]) - Number(first.split(',')[2]), 3_600_000_000);
  assert.deepEqual(await download(...rules), []);
  await rm(join(dir, bars));
  await succeeded(runHere(['verify', '--repair', '--json'], { env }));
  assert.equal(await readFile(join(dir, bars), 'utf8'), filled);
  assert.deepEqual(await download(...rules), []);
  assert.deepEqual(await download(), [bars], 'other rules, and the rows as before');
  const verified = await runHere(['verify', '--json'], { env });
  assert.deepEqual([verified.exitCode, jsonLines(verified).at(-1)?.['verified']], [0, 3]);
});
