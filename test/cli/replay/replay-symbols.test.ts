import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { csvOf, writeDayFile } from '../../convert/day-files.js';
import { envOf, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';

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
    const { exitCode, stdout, stderr } = await runHere(['replay', ...args, ...DAY], { env });
    assert.equal(exitCode, 0, stderr);
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
  const { exitCode, stdout, stderr } = await tickhaul(args, { env: envOf(service, dir), command });
  assert.equal(exitCode, 0, stderr);
  // All have the same times, so the order depends on the symbols.
  const keys = [...stdout.matchAll(/"symbol":"S(\d+)".*"localTimestamp":"(.+)"/g)].map(
    ([, at = '', time = '']) => `${time} ${at.padStart(3, '0')}`,
  );
  assert.equal(keys.length, 500 * 600);
  assert.ok(keys.toSorted().join() === keys.join());
});
