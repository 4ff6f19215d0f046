import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { addDays, formatDay, msToDay } from '../../src/day-files/day.js';
import { plan } from '../../src/library/run-functions.js';
import { envOf, failedWith, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../helpers/sandbox.js';
import { tradesOf } from '../helpers/selection.js';
import { tempDir } from '../helpers/temp.js';

const BEFORE = /^tickhaul: binance-futures 2015-01-01: BTCUSDT begins on 2019-11-17\n$/;
const TOMORROW = formatDay(addDays(msToDay(Date.now()), 2));
const FUTURE = new RegExp(`^tickhaul: .*${TOMORROW} lies in the future; choose .*earlier .*\n$`);

test('days that no symbol has are code 7, and the error says when the symbol begins', async (t) => {
  const { service, dir, env } = await sandboxAndFolder(t);
  const glob = tradesOf('2015-01-01').with(4, 'BTC*');
  for (const [words, says] of [
    [['plan', ...tradesOf('2015-01-01')], BEFORE],
    [['download', ...tradesOf('2015-01-01')], BEFORE],
    [['download', ...glob], /BTCUSDT begins on 2019-11-17, BTCUSDT_210326 begins on 2021-02-03$/m],
    [['download', ...tradesOf('2015-01-01', '2015-02-01')], /2015-01-01 to 2015-01-31: BTCUSDT begins on/],
    // Days of the range that the symbol has, but none of the selected ones.
    [
      ['plan', ...tradesOf('2019-11-01', '2019-12-01'), '--free'],
      /2019-11-30: BTCUSDT begins on 2019-11-17$/m,
    ],
    [['replay', 'binance-futures:BTCUSDT', '-t', 'trade', '--date', '2015-01-01'], BEFORE],
    [['plan', ...tradesOf(TOMORROW)], FUTURE],
    [['download', ...tradesOf(TOMORROW)], FUTURE],
    [['replay', 'binance-futures:BTCUSDT', '-t', 'trade', '--date', TOMORROW], FUTURE],
  ] as const) {
    await failedWith(runHere([...words, '--quiet'], { env }), 7, says, words.join(' '));
  }
  const { apiUrl, datasetsUrl, apiKey } = service;
  const selection = {
    exchange: 'binance-futures',
    types: ['trades' as const],
    symbols: ['BTCUSDT'],
    date: '2015-01-01',
  };
  await assert.rejects(async () => await plan({ ...selection, dir, apiUrl, datasetsUrl, apiKey }), {
    code: 'unavailable',
    exitCode: 7,
  });
});

test('days that are not exported yet, and some days of a longer range, are no failure', async (t) => {
  const env = envOf(await sandbox(t), await tempDir(t));
  for (const days of [
    tradesOf('2024-03-11'),
    tradesOf('2019-11-10', '2019-11-19'),
    tradesOf('2024-03-09', '2024-03-20'),
  ]) {
    await succeeded(runHere(['plan', ...days], { env }));
  }
});

test('flags that match nothing are code 2, and the error names the flag', async (t) => {
  const env = envOf(await sandbox(t), await tempDir(t));
  const select = tradesOf('2024-03-01');
  for (const [flags, says] of [
    [['--weekdays', 'sun'], /^tickhaul: --weekdays sun: none of these days in 2024-03-01$/m],
    [['--symbol-type', 'future'], /^tickhaul: --symbol-type future: .*; they have perpetual$/m],
  ] as const) {
    await failedWith(runHere(['download', ...select, ...flags], { env }), 2, says);
  }
  const option = ['deribit', '-t', 'options_chain', '-s', 'BTC-PERPETUAL', '--date', '2024-03-01'];
  const { exitCode, stderr } = await runHere(['download', ...option], { env });
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /deribit BTC-PERPETUAL has no options_chain; it has .*trades/);
});

test('a job fails if none of its fixed days exists, but neither by pending days nor by an ended symbol', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const sync = async (days: object, symbols = 'BTCUSDT') => {
    const job = { name: 'a', exchange: 'binance-futures', types: 'trades', symbols, ...days };
    const good = {
      ...job,
      name: 'b',
      symbols: 'ETHUSDT',
      date: '2024-03-01',
      from: undefined,
      last: undefined,
    };
    await writeFile(join(dir, 'jobs.json'), JSON.stringify({ jobs: [job, good] }));
    return runHere(['sync', '--config', join(dir, 'jobs.json'), '--quiet'], { env });
  };
  await failedWith(sync({ date: '2015-01-01' }), 7, BEFORE);
  for (const [days, symbols] of [
    [{ date: '2024-03-11' }],
    [{ from: TOMORROW }],
    [{ last: '2d' }, 'BTCUSDT_210326'],
  ] as const) {
    const { exitCode, stderr } = await sync(days, symbols);
    assert.deepEqual([exitCode, stderr], [0, '']);
  }
});

test('an offline replay says which file the folder lacks, whether or not a record is stored', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  await succeeded(runHere(['download', ...tradesOf('2024-03-01')], { env }));
  const flags = ['--date', '2024-03-01', '--offline'];
  for (const cache of [env['XDG_CACHE_HOME'], `${dir}/none`]) {
    for (const [symbol, type, lacks] of [
      ['ETHUSDT', 'trade', 'trades ETHUSDT'],
      ['BTCUSDT', 'quote', 'incremental_book_L2 BTCUSDT'],
    ] as const) {
      const words = ['replay', `binance-futures:${symbol}`, '-t', type, ...flags];
      const { exitCode, stderr } = await runHere(words, { env: { ...env, XDG_CACHE_HOME: cache ?? '' } });
      assert.equal(exitCode, 7, stderr);
      assert.match(stderr, new RegExp(`^tickhaul: no file of binance-futures ${lacks}.* in ${dir}`));
    }
  }
});
