import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandName } from '../../src/cli/arguments/define-flags.js';
import { COMMANDS } from '../../src/cli/commands/command-list.js';
import { plan } from '../../src/library/run-functions.js';
import { envOf, failedWith, jsonLines, succeeded, tickhaul } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../helpers/sandbox.js';
import { namesIn, tempDir, workingDir } from '../helpers/temp.js';

const DAY = ['--date', '2024-03-01'];

test('words after -- are positionals, with or without dashes', async (t) => {
  const { env } = await sandboxAndFolder(t);
  const words = ['plan', '-t', 'trades', '-s', 'BTCUSDT', ...DAY, '--json', '--', 'binance-futures'];
  assert.equal(jsonLines(await runHere(words, { env }))[0]?.['files'], 1);
  await workingDir(t);
  await failedWith(runHere(['convert', '--', '-a.csv.gz']), 2, /"?-a\.csv\.gz/);
  const absent = await runHere(['verify', '-d', '.', '--', '--json']);
  assert.match(absent.stderr, /--json/);
});

test('the last value of a repeated flag counts, and lists are joined', async (t) => {
  const { env } = await sandboxAndFolder(t);
  const words = ['plan', 'Binance-Futures', '-t', 'trades', '-s', 'BTCUSDT', '-s', 'ETHUSDT'];
  const days = ['--last', '3d', '--last', '1d'];
  const files = jsonLines(await runHere([...words, ...days, '--json'], { env })).filter(
    ({ event }) => event === 'file',
  );
  assert.deepEqual(
    files.map(({ symbol, date }) => `${symbol} ${date}`),
    ['BTCUSDT 2024-03-09', 'ETHUSDT 2024-03-09'],
  );
});

test('help <command> equals <command> --help', async () => {
  const asked = await runHere(['help', 'download']);
  assert.deepEqual(asked, await runHere(['download', '--help']));
  assert.equal(asked.exitCode, 0);
  assert.deepEqual(asked, await runHere(['--no-color', 'help', 'download']));
  await succeeded(runHere(['help']));
  assert.deepEqual(await runHere(['help']), await runHere(['--help']));
  assert.match((await runHere(['help', 'help'])).stdout, /^ {6}--config /m);
});

test('tickhaul without arguments prints 24 lines, with existing commands', async () => {
  const { exitCode, stdout, stderr } = await tickhaul([]);
  assert.equal(exitCode, 2);
  assert.equal(stdout, '');
  const lines = stderr.trimEnd().split('\n');
  assert.ok(lines.length <= 23, 'no room for the prompt');
  for (const line of lines) assert.ok(line.length <= 80, line);
  const names = [...stderr.matchAll(/^ {2}tickhaul (\w+) {2,}/gm)].map(([, name]) => name);
  assert.equal(names.length, 5);
  for (const name of names) assert.ok(COMMANDS.some((command) => commandName(command) === name));
  assert.match(stderr, /tickhaul --help/);
});

test('suggests the right name for other words for data types and types of grouped files', async (t) => {
  const { env } = await sandboxAndFolder(t);
  const said = async (...words: string[]): Promise<string> => {
    const { exitCode, stderr } = await runHere(['plan', ...words, ...DAY], { env });
    assert.equal(exitCode, 2);
    return stderr;
  };
  const future = ['binance-futures', '-s', 'BTCUSDT', '-t'];
  assert.match(await said(...future, 'ohlcv'), /bars are computed from trades: .*--as trade_bar_1m/);
  assert.match(await said(...future, 'funding'), /did you mean derivative_ticker\?/);
  assert.match(await said(...future, 'orderbook'), /did you mean incremental_book_L2\?/);
  assert.match(await said(...future, 'zzzzzz'), /it has .*trades/);
  assert.match(await said('deribit', '-t', 'options_chain', '-s', 'all'), /use -s OPTIONS/);
  assert.match(await said('deribit', '-s', 'all'), /--type is required: .*valid data types: trades, /);
});

test('neither an empty HOME nor a relative XDG folder leads to the working folder', async (t) => {
  const cwd = await workingDir(t);
  const { XDG_CACHE_HOME: _, ...env } = envOf(await sandbox(t), join(cwd, 'data'));
  await mkdir(join(cwd, 'home'));
  const at = { ...env, HOME: join(cwd, 'home'), XDG_CACHE_HOME: 'relative' };
  await succeeded(runHere(['exchanges'], { env: at }));
  assert.deepEqual(await readdir(cwd), ['home']);
});

test('a full disk of the log does not stop the data', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const words = ['download', 'binance-futures', '-t', 'trades', '-s', 'BTCUSDT', ...DAY];
  const command = ['sh', '-c', 'exec "$@" 2>/dev/full', 'sh', process.execPath];
  await succeeded(tickhaul(words, { env, command }));
  assert.equal((await namesIn(dir)).length, 1);
});

test('refuses a URL in place of a folder, and creates nothing', async (t) => {
  const service = await sandbox(t);
  const cwd = await workingDir(t);
  const env = envOf(service, join(cwd, 'data'));
  const select = ['binance-futures', '-t', 'trades', '-s', 'BTCUSDT', ...DAY];
  for (const words of [
    ['download', ...select, '-o', 'gopher://user:secret@host/x'],
    ['download', ...select, '--failed-to', 'gopher://x'],
    ['convert', 'gopher://host/a.csv.gz'],
    ['convert', 'a.csv.gz', '-o', 'gopher://host'],
    ['verify', 'gopher://host'],
    ['lock', '-o', 'gopher://host'],
    ['coverage', '--html', 'gopher://host'],
    ['inspect', 'gopher://host/a.parquet'],
  ]) {
    const { exitCode, stderr } = await runHere(words, { env });
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, /gopher:\/\/… is not supported; use a file or folder of this machine/);
    assert.doesNotMatch(stderr, /secret/);
  }
  const nearly = await runHere(['download', ...select, '-o', 's3:market'], { env });
  assert.match(nearly.stderr, /^tickhaul: --dir: s3:… is not supported; .* s3:\/\/bucket\/key\n$/);
  for (const place of ['s3://market', 's3://market/', 's3://market/prefix/']) {
    const { exitCode, stderr } = await runHere(['plan', ...select, '--pin', place], { env });
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, /^tickhaul: --pin s3:.*: names no object; use s3:\/\/bucket\/key\n$/);
  }
  const inEnvironment = await runHere(['download', ...select], { env: { ...env, TICKHAUL_DIR: 'x://y' } });
  assert.match(inEnvironment.stderr, /^tickhaul: TICKHAUL_DIR: x:\/\/…/);
  assert.deepEqual(await readdir(cwd), []);
});

test('accepts a month, a number of days, and days of the week', async (t) => {
  const { env } = await sandboxAndFolder(t);
  const daysOf = async (...words: string[]): Promise<readonly unknown[]> => {
    const select = ['plan', 'binance-futures', '-t', 'trades', '-s', 'BTCUSDT', '--json', ...words];
    const lines = jsonLines(await runHere(select, { env }));
    assert.equal(lines[0]?.['files'], lines.length - 2);
    return lines.slice(1, -1).map(({ date }) => date);
  };
  assert.equal((await daysOf('--from', '2024-02', '--to', '2024-03')).length, 29);
  assert.equal((await daysOf('--date', '2024-02')).length, 29);
  assert.equal((await daysOf('--last', '7')).length, 7);
  const weekend = await daysOf('--from', '2024-03-01', '--to', '2024-03-10', '--weekdays', 'sat,sun');
  assert.deepEqual(weekend.toSorted(), ['2024-03-02', '2024-03-03', '2024-03-09']);
});

test('--date takes a whole month in downloads, jobs, queries of messages and the library', async (t) => {
  const { service, dir, env } = await sandboxAndFolder(t, { rows: 5 });
  const month = ['--date', '2024-02'];
  await succeeded(
    runHere(['download', 'binance-futures', '-t', 'trades', '-s', 'BTCUSDT', ...month], {
      env,
    }),
  );
  assert.equal((await namesIn(dir)).length, 29);

  const config = join(dir, 'tickhaul.yaml');
  const job = 'name: a, exchange: binance-futures, types: trades, symbols: BTCUSDT, date: 2024-02';
  await writeFile(config, `jobs: [{${job}}]\n`);
  const synced = await runHere(['sync', '--config', config, '--json'], { env });
  assert.equal(jsonLines(synced).at(-1)?.['skipped'], 29, synced.stderr);

  const replay = ['replay', 'binance-futures:BTCUSDT', '-t', 'trade', ...month, '--offline'];
  const { stdout } = await succeeded(runHere(replay, { env }));
  const days = stdout.match(/"localTimestamp":"2024-02-\d\d/g);
  assert.equal(new Set(days).size, 29);

  const { apiUrl, datasetsUrl, apiKey } = service;
  const selection = {
    exchange: 'binance-futures',
    types: ['trades' as const],
    symbols: ['BTCUSDT'],
    date: '2024-02',
  };
  const planned = await plan({ ...selection, dir, apiUrl, datasetsUrl, apiKey });
  assert.equal(planned.skip, 29);
});

test('-v after a command is refused with a hint, and never prints the version in its place', async (t) => {
  await workingDir(t);
  for (const words of [
    ['verify', '-v'],
    ['plan', '-V', 'deribit'],
    ['download', '-v'],
    ['audit', '-qv'],
  ]) {
    const { exitCode, stdout, stderr } = await runHere(words);
    assert.deepEqual([exitCode, stdout], [2, '']);
    assert.match(stderr, /-v after a command: use --verbose .*, or tickhaul --version\n$/, words.join(' '));
  }
});

test('a config file without jobs has settings for all commands but sync', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, { rows: 5 });
  const { TICKHAUL_DIR: _, ...env } = envOf(service, dir);
  await workingDir(t);
  await writeFile('tickhaul.yaml', `dir: ${join(dir, 'data')}\n`);
  const select = ['binance-futures', '-t', 'trades', '-s', 'BTCUSDT', ...DAY];
  await succeeded(runHere(['download', ...select], { env }));
  assert.equal((await namesIn(join(dir, 'data'))).length, 1);
  for (const words of [['sync'], ['sync', '-n']]) {
    const { exitCode, stderr } = await runHere([...words, '--quiet'], { env });
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, /^tickhaul: tickhaul\.yaml: jobs is missing; list the jobs to keep up to date/);
  }
});

test('a month is refused where only one day makes sense', async (t) => {
  const env = envOf(await sandbox(t), await tempDir(t));
  for (const [flag, ...words] of [
    ['--on', 'symbols', 'deribit'],
    ['--until', 'status', 'deribit', '--wait'],
  ]) {
    const { exitCode, stderr } = await runHere([...words, String(flag), '2024-03'], { env });
    assert.equal(exitCode, 2);
    assert.equal(
      stderr,
      `tickhaul: ${flag}: "2024-03" is a month: write one day of it, for example 2024-03-01\n`,
    );
  }
});
