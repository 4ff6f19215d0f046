import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { complete } from '../../../src/cli/completion/complete.js';
import { knownEnv } from './known.js';

type Env = Readonly<Record<string, string>>;

/** The kind of the completions for zsh, and the words without descriptions. */
async function answer(env: Env, ...words: readonly string[]): Promise<readonly string[]> {
  const text = await complete(['zsh', ...words], env, () => '/nonexistent');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/(?<!\\):.*$/, '').replaceAll('\\:', ':'));
}

test('completes values from flags, stored records and suggestions', async (t) => {
  const env = await knownEnv(t);
  const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
    [['dow'], ['download']],
    [['help', 'dow'], ['download']],
    [
      ['help', 'e'],
      ['exchanges', 'enqueue', 'export', 'exit-codes', 'environment'],
    ],
    [['help', '--no-color', 'sel'], ['selection']],
    [['--dir', 'x', 'dow'], ['download']],
    [
      ['download', 'bi'],
      ['binance', 'bitmex'],
    ],
    [['download', 'BIN'], ['binance']],
    [
      ['symbols', ''],
      ['binance', 'bitmex', 'deribit'],
    ],
    [['download', '--conv'], ['--convert']],
    [
      ['download', '--convert', ''],
      ['parquet', 'ndjson', 'arrow', 'csv'],
    ],
    [['download', '--convert=p'], ['--convert=parquet']],
    [['convert', '-f', 'n'], ['ndjson']],
    [
      ['download', 'binance', '-t', ''],
      ['all', 'new_type', 'quotes', 'trades'],
    ],
    [
      ['download', '-t', 'book_snapshot'],
      ['book_snapshot_5', 'book_snapshot_25'],
    ],
    [['download', 'binance', '-t', 'trades,q'], ['trades,quotes']],
    [['download', 'binance', '--type=trades,q'], ['--type=trades,quotes']],
    [
      ['download', 'binance', '-s', 'BTC'],
      ['BTCEUR', 'BTCUSDT'],
    ],
    [['download', 'binance', '-s', 'BTCEUR,btc'], ['BTCEUR,BTCUSDT']],
    [['download', '-s', 'ETH', 'binance', '-s', 'S'], ['SPOT']],
    [['coverage', '--exchange', 'binance', '-s', 'e'], ['ETHUSDT']],
    [['symbols', 'binance', '--symbol-type', ''], ['spot']],
    [
      ['symbols', 'binance', 'btc'],
      ['BTCEUR', 'BTCUSDT'],
    ],
    [['symbols', 'binance', 'BTCEUR', 'E'], ['ETHUSDT']],
    [['vers'], ['version']],
    [['replay', 'bin'], ['binance']],
    [
      ['replay', 'binance:BTC'],
      ['binance:BTCEUR', 'binance:BTCUSDT'],
    ],
    [['replay', 'deribit', 'binance:ETHUSDT,S'], []],
    [
      ['replay', 'binance:ETHUSDT,B'],
      ['binance:ETHUSDT,BTCEUR', 'binance:ETHUSDT,BTCUSDT'],
    ],
    [['replay', 'binance:ETHUSDT', '-s', 'E'], ['ETHUSDT']],
    [
      ['replay', '-t', 'tra'],
      ['trade', ...['1s', '1m', '5m', '60m', '100ticks', '10vol'].map((n) => `trade_bar_${n}`)],
    ],
    [['convert', '--as', 'rows,quote_2'], ['ms', 's', 'm'].map((unit) => `rows,quote_2${unit}`)],
    [['download', '--from', 'y'], ['yesterday']],
    [['download', '--layout', 'h'], ['hive']],
    [['account', ''], ['call']],
    [['completion', 'z'], ['zsh']],
    [['status', 'binance', '--', '--wa'], []],
  ];
  for (const [words, expected] of cases)
    assert.deepEqual(await answer(env, ...words), ['words', ...expected], words.join(' '));
});

test('leaves paths to the shell', async (t) => {
  const env = await knownEnv(t);
  const kinds = async (...words: string[]) => (await answer(env, ...words)).join();
  assert.equal(await kinds('convert', 'da'), 'files');
  assert.equal(await kinds('convert', 'x.csv.gz', ''), 'files');
  assert.equal(await kinds('download', '--dir=da'), 'folders');
  assert.equal(await kinds('lock', '-o', ''), 'files');
  assert.equal(await kinds('convert', '-o', ''), 'folders');
  assert.equal(await kinds('coverage', ''), 'folders');
});

test('completes flags with descriptions after all positionals', async (t) => {
  const env = await knownEnv(t);
  assert.ok((await answer(env, 'download', 'binance', '')).includes('--type'));
  assert.ok((await answer(env, '--')).includes('--help'));
  assert.match(
    await complete(['fish', 'tickhaul', 'status', '--wai'], env, () => '/'),
    /^words\n--wait\twait until .*\n$/,
  );
});

test('offers a sample of very many symbols with the same common prefix', async (t) => {
  const env = await knownEnv(t);
  const [kind, ...found] = await answer(env, 'download', 'deribit', '-s', 'BTC-');
  assert.equal(kind, 'words');
  assert.equal(found.length, 500);
  assert.deepEqual([found[0], found.at(-1)], ['BTC-00000', 'BTC-19999']);
});

test('writes nothing, and prints nothing after any error', async (t) => {
  const env = await knownEnv(t);
  const folder = join(env['XDG_CACHE_HOME'] ?? '', 'tickhaul');
  const before = await readdir(folder);
  assert.deepEqual(await answer(env, 'download', 'bitmex', '-s', ''), ['words', 'all']);
  assert.equal(await complete(['tcsh', 'x'], env, () => '/'), '');
  assert.equal(
    await complete([], {}, () => {
      throw new Error('no home');
    }),
    '',
  );
  assert.equal(await complete(['zsh', 'download', '--api-url', 'nowhere', ''], env, () => '/'), '');
  assert.deepEqual(await readdir(folder), before);
  for (const name of before) await writeFile(join(folder, name), 'damaged');
  assert.deepEqual(await answer(env, 'download', 'binance', '-s', 'BT'), ['words']);
  assert.deepEqual(await answer(env, 'symbols', ''), ['words']);
});
