import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { expectedRows } from '../../convert/computed/rows.js';
import { csvOf, writeDayFile } from '../../convert/day-files.js';
import { jsonLines } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { tempDir } from '../../helpers/temp.js';

test('--as emits an event per output, then skips all', async (t) => {
  const dir = await tempDir(t);
  for (const symbol of ['A', 'B', 'C']) await writeDayFile(dir, 'trades', csvOf('trades', 200), symbol);
  await writeDayFile(dir, 'quotes', csvOf('quotes', 5));
  const args = ['convert', dir, '--as', 'trade_bar_1m,trade_bar_100ticks', '--json'];
  const first = await runHere(args);
  assert.equal(first.exitCode, 0, first.stderr);
  const files = jsonLines(first).filter(({ event }) => event === 'file');
  assert.deepEqual(
    files.map((file) => [file['status'], String(file['source']).endsWith('.csv.gz')]),
    Array(6).fill(['converted', true]),
  );
  assert.match(first.stderr, /skipping .*_quotes_/);
  const second = await runHere(args);
  assert.deepEqual(
    [jsonLines(second).at(-1)?.['skipped'], jsonLines(second).at(-1)?.['converted']],
    [6, undefined],
  );
});

test('--as with -o - writes one type, one row per line', async (t) => {
  const dir = await tempDir(t);
  const csv = csvOf('incremental_book_L2', 500);
  await writeDayFile(dir, 'incremental_book_L2', csv);
  await writeDayFile(dir, 'trades', csvOf('trades', 5));
  const { exitCode, stdout, stderr } = await runHere(['convert', dir, '--as', 'quote_1s', '-o', '-']);
  assert.equal(exitCode, 0, stderr);
  const expected = expectedRows('quote_1s', csv).map((row) => `${JSON.stringify(row)}\n`);
  assert.ok(expected.length > 0);
  assert.equal(stdout, expected.join(''));
  assert.match(stderr, /skipping .*_trades_/);
  const two = await runHere(['convert', dir, '--as', 'quote_1s,rows', '-o', '-']);
  assert.equal(two.exitCode, 2);
  assert.match(two.stderr, /only one name of --as/);
});

test('--as with an unknown name is code 2 with the nearest name, and writes nothing', async (t) => {
  const dir = await tempDir(t);
  await writeDayFile(dir, 'trades', csvOf('trades', 5));
  const { exitCode, stderr } = await runHere(['convert', dir, '--as', 'trade_bar_1w']);
  assert.equal(exitCode, 2);
  assert.match(stderr, /"trade_bar_1w" is not a computed type; did you mean trade_bar_10080m/);
  assert.equal((await readdir(join(dir))).length, 1);
});
