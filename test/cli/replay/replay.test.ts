import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { decompress } from 'fzstd';
import { csvOf, writeDayFile } from '../../convert/day-files.js';
import { envOf, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { linesOfFile, mergeByTime, textOf } from './replaying.js';

const DAYS = ['2024-03-01', '2024-03-02'];
const BTC = 'BTC-PERPETUAL';
const ETH = 'ETH-PERPETUAL';

test('several exchanges, types and days equal a plain merge of their lines; the second run is offline', async (t) => {
  const { service, dir, env } = await sandboxAndFolder(t);
  const args = [
    'replay',
    'deribit',
    'binance-futures:BTCUSDT',
    '-s',
    `${BTC},${ETH}`,
    '-t',
    'book_change,trade',
  ];
  const period = ['--from', '2024-03-01T06:00:00.000001Z', '--to', '2024-03-02T18:00'];
  const { exitCode, stdout, stderr } = await tickhaul([...args, ...period], { env });
  assert.equal(exitCode, 0, stderr);
  const start = Date.UTC(2024, 2, 1, 6) * 1000 + 1;
  const end = Date.UTC(2024, 2, 2, 18) * 1000;
  const series = (['deribit', 'binance-futures'] as const).flatMap((exchange) =>
    (['trades', 'incremental_book_L2'] as const).flatMap((dataType) =>
      (exchange === 'deribit' ? [BTC, ETH] : ['BTCUSDT']).map((symbol) =>
        DAYS.flatMap((day) =>
          linesOfFile(dir, exchange, dataType, day, symbol, ['trade', 'book_change']),
        ).filter(({ localTimestamp }) => localTimestamp >= start && localTimestamp < end),
      ),
    ),
  );
  assert.ok(series.every((lines) => lines.length > 10));
  assert.ok(stdout === textOf(mergeByTime(series)), 'the merge');

  await service.close();
  const offline = await succeeded(runHere([...args, ...period, '--offline', '--json'], { env }));
  assert.ok(offline.stdout === stdout);
  const { seconds, ...summary } = JSON.parse(offline.stderr.trimEnd().split('\n').at(-1) ?? '');
  assert.equal(typeof seconds, 'number');
  const messages = stdout.split('\n').length - 1;
  assert.deepEqual(summary, { event: 'summary', exitCode: 0, messages, bytes: Buffer.byteLength(stdout) });

  const missing = await runHere([...args, '--from', '2024-03-01', '--to', '2024-03-04', '--offline'], {
    env,
  });
  assert.equal(missing.exitCode, 7);
  assert.equal(missing.stdout, '');
  assert.match(missing.stderr, /^tickhaul: no file of deribit trades BTC-PERPETUAL 2024-03-03, .* in /);
});

test('a bar continues over midnight, and -o writes a complete file, compressed by its extension', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const args = [
    'replay',
    `deribit:${BTC}`,
    '-t',
    'trade_bar_1000000ticks,trade_bar_250ticks',
    '--from',
    '2024-03-01',
  ];
  const plain = await succeeded(runHere([...args, '--to', '2024-03-03'], { env }));
  const bars = plain.stdout.trimEnd().split('\n');
  const trades = DAYS.flatMap((day) => linesOfFile(dir, 'deribit', 'trades', day, BTC, ['trade'])).length;
  assert.equal(bars.length, Math.floor(trades / 250));
  for (const [name, unpack] of [
    ['bars.ndjson', (bytes: Buffer) => bytes],
    ['bars.ndjson.gz', gunzipSync],
    ['bars.ndjson.zst', decompress],
  ] as const) {
    const path = join(dir, 'out', name);
    const written = await succeeded(runHere([...args, '--to', '2024-03-03', '-o', path], { env }));
    assert.equal(written.stdout, '');
    assert.equal(Buffer.from(unpack(readFileSync(path))).toString(), plain.stdout, name);
  }
});

test('a corrupt day file is code 6, after complete lines and without an output file', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const args = ['replay', `deribit:${BTC}`, '-t', 'trade', '--from', '2024-03-01', '--to', '2024-03-03'];
  const whole = await succeeded(runHere(args, { env }));
  const path = join(dir, `deribit_trades_2024-03-02_${BTC}.csv.gz`);
  const bytes = readFileSync(path);
  bytes.writeUInt32LE((bytes.readUInt32LE(bytes.length - 8) ^ 1) >>> 0, bytes.length - 8);
  writeFileSync(path, bytes);
  const broken = await runHere([...args, '--json'], { env });
  assert.equal(broken.exitCode, 6);
  assert.ok(whole.stdout.startsWith(broken.stdout));
  const firstDay = textOf(linesOfFile(dir, 'deribit', 'trades', '2024-03-01', BTC, ['trade']));
  assert.ok(broken.stdout.startsWith(firstDay));
  const summary = JSON.parse(broken.stderr.trimEnd().split('\n').at(-1) ?? '');
  assert.equal(summary.exitCode, 6);
  assert.equal(summary.error.code, 'corrupt');
  const out = join(dir, 'out');
  assert.equal((await runHere([...args, '-o', join(out, 'a.ndjson')], { env })).exitCode, 6);
  assert.deepEqual(readdirSync(out), []);
});

test('refuses invalid requests with an exit code and a correction', async (t) => {
  const { service, dir, env } = await sandboxAndFolder(t);
  const day = ['--date', '2024-03-01'];
  const one = `deribit:${BTC}`;
  const cases: readonly (readonly [number, RegExp, readonly string[]])[] = [
    [2, /"trade_bar_1h" .*did you mean/, [one, '-t', 'trade_bar_1h', ...day]],
    [2, /"book_snapshot_6" .*did you mean/, [one, '-t', 'book_snapshot_6', ...day]],
    [2, /"tick" is not a normalized data type/, [one, '-t', 'trade,tick', ...day]],
    [2, /"ohlcv" .*did you mean/, [one, '-t', 'ohlcv', ...day]],
    [2, /--type is required/, [one, ...day]],
    [2, /requires --to/, [one, '-t', 'trade', '--from', '2024-03-01']],
    [2, /must be after/, [one, '-t', 'trade', '--from', '2024-03-02', '--to', '2024-03-01']],
    [2, /appears twice/, [one, `deribit:${ETH}`, '-t', 'trade', ...day]],
    [2, /--with-disconnects/, [one, '-t', 'trade', ...day, '--with-disconnects']],
    [2, /--speed/, [one, '-t', 'trade', ...day, '--speed', '0']],
    [
      2,
      /--cache-dir is for slices of raw data, .* day files; .*use --source feeds/,
      [one, '-t', 'trade', ...day, '--cache-dir', 'slices'],
    ],
    [2, /--clear-cache is for slices/, [one, '-t', 'trade', ...day, '--clear-cache']],
    [2, /--cache-limit is for slices/, [one, '-t', 'trade', ...day, '--cache-limit', '20GB']],
    [
      2,
      /--layout is for day files, .* raw data; .*use --source datasets/,
      [one, '-t', 'trade', ...day, '--source', 'feeds', '--layout', 'hive'],
    ],
    [2, /unknown symbol "BTC-PERPETUALS?X".*did you mean/, [`${one}X`, '-t', 'trade', ...day]],
    [
      2,
      /has no options_chain|has no option_summary/,
      ['binance-futures:BTCUSDT', '-t', 'option_summary', ...day],
    ],
    [7, /ends in the future/, [one, '-t', 'trade', '--from', '2024-03-01', '--to', '2999-01-01']],
    [7, /not exported yet/, [one, '-t', 'trade', '--from', '2024-03-09', '--to', '2024-03-11']],
  ];
  for (const [code, message, args] of cases) {
    const { exitCode, stdout, stderr } = await runHere(['replay', ...args], { env });
    assert.equal(exitCode, code, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    assert.equal(stdout, '');
  }
  const keyless = envOf(service, dir, '');
  const { exitCode } = await runHere(['replay', one, '-t', 'trade', '--date', '2024-03-02'], {
    env: keyless,
  });
  assert.equal(exitCode, 4);
});

test('warnings are printed to stderr beside the summary of --json', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const args = [
    'replay',
    'coinbase:BTC-USD',
    '-t',
    'trade,derivative_ticker',
    '--date',
    '2024-03-01',
    '--json',
  ];
  const reported = async (...more: readonly string[]): Promise<readonly string[]> => {
    const { stderr } = await succeeded(runHere([...args, ...more], { env }));
    const lines = stderr.trimEnd().split('\n');
    assert.equal(JSON.parse(lines.pop() ?? '').event, 'summary');
    return lines;
  };
  const lacking = 'warning coinbase has no derivative_ticker messages; skipping them';
  assert.deepEqual(await reported(), [lacking]);
  const manifest = join(dir, '.tickhaul', 'manifest.jsonl');
  writeFileSync(manifest, `damaged\n${readFileSync(manifest, 'utf8')}`);
  const again = await reported();
  assert.equal(again.length, 2);
  assert.ok(again.includes(lacking));
  assert.ok(again.some((line) => /^warning .*manifest\.jsonl: skipped 1 damaged line/.test(line)));
  assert.deepEqual(await reported('--quiet'), []);
});

const DAY = ['--date', '2024-03-01', '-q'];

test('symbols by name, glob and file give the same messages; options are selected from their common file', async (t) => {
  const dir = await tempDir(t);
  const options = csvOf('options_chain', 200);
  const [, one = ''] = options.split('\n')[1]?.split(',') ?? [];
  await writeDayFile(dir, 'options_chain', options, 'OPTIONS');
  const trades = csvOf('trades', 50);
  for (const symbol of ['BTC-PERPETUAL', 'ETH-PERPETUAL', one])
    await writeDayFile(dir, 'trades', trades.replaceAll('BTC-PERPETUAL', symbol), symbol);
  const list = join(dir, 'symbols.txt');
  writeFileSync(list, 'eth-perpetual\nBTC/PERPETUAL\n');

  const service = await sandbox(t, { replayDir: dir, exportedUntil: undefined });
  const env = envOf(service, dir);
  const replay = async (...args: readonly string[]): Promise<string[]> => {
    const { stdout } = await succeeded(runHere(['replay', ...args, ...DAY], { env }));
    return stdout.trimEnd().split('\n');
  };
  const named = await replay('deribit:ETH-PERPETUAL,BTC-PERPETUAL', '-t', 'trade');
  assert.equal(named.length, 100);
  assert.ok((await replay('deribit', '-t', 'trade', '-s', `@${list}`)).join() === named.join());
  // Symbols of a glob are in the order of the record.
  const matched = await replay('deribit', '-t', 'trade', '-s', '*-PERPETUAL');
  assert.ok(matched.toSorted().join() === named.toSorted().join());

  const isOfOne = (line: string): boolean => JSON.parse(line).symbol === one;
  const all = await replay('deribit', '-t', 'option_summary');
  const own = all.filter(isOfOne);
  assert.ok(own.length > 0 && own.length < all.length);
  assert.deepEqual(await replay(`deribit:${one}`, '-t', 'option_summary'), own);
});

test('replays 500 symbols with 256 file handles, in threads', async (t) => {
  const dir = await tempDir(t);
  const csv = csvOf('trades', 600);
  const symbols = Array.from({ length: 500 }, (_, at) => `S${at}`);
  for (const symbol of symbols)
    await writeDayFile(dir, 'trades', csv.replaceAll('BTC-PERPETUAL', symbol), symbol);
  const service = await sandbox(t, { replayDir: dir, exportedUntil: undefined });
  const command = ['bash', '-c', 'ulimit -n 256; exec "$0" "$@"', process.execPath];
  const args = ['replay', `deribit:${symbols}`, '-t', 'trade', ...DAY];
  const { stdout } = await succeeded(tickhaul(args, { env: envOf(service, dir), command }));
  // All have the same times, so the order depends on the symbols.
  const keys = [...stdout.matchAll(/"symbol":"S(\d+)".*"localTimestamp":"(.+)"/g)].map(
    ([, at = '', time = '']) => `${time} ${at.padStart(3, '0')}`,
  );
  assert.equal(keys.length, 500 * 600);
  assert.ok(keys.toSorted().join() === keys.join());
});
