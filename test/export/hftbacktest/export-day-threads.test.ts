import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUp } from '../../helpers/clean-up.js';
import { startedThreads } from '../../helpers/started-threads.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { bookCsv, exportHere, MIDNIGHT, tradesCsv, writeDay } from './exporting.js';
import { readRows } from './read-npz.js';
import { type BookRow, slowRows, type TradeRow } from './slow-events.js';

/** More than two blocks. */
const BOOK = Array.from(
  { length: 40_000 },
  (_, at): BookRow => ({
    symbol: 'BTC',
    timestamp: MIDNIGHT + at,
    local: MIDNIGHT + at + 5,
    side: at % 2 === 0 ? 'bid' : 'ask',
    price: String(at % 77),
    amount: String(at % 13),
    isSnapshot: false,
  }),
);

test('encodes large days in threads, and ends them', async (t) => {
  const threads = startedThreads(t);
  const dir = await tempDir(t);
  const { outputs } = await exportHere(await writeDay(dir, tradesCsv([]), bookCsv(BOOK)), dir);
  assert.equal(outputs[0]?.rows, BOOK.length);
  assert.ok(threads.length > 0);
  assert.ok(threads.every(({ threadId }) => threadId === -1));
  const rows = readRows(await readFile(join(dir, outputs[0].path)));
  assert.deepEqual(
    rows.map(({ exch, px, qty }) => [Number(exch / 1000n) - MIDNIGHT, px, qty]),
    BOOK.map(({ timestamp, price, amount }) => [timestamp - MIDNIGHT, Number(price), Number(amount)]),
  );
});

const TRADES = Array.from(
  { length: 2_000 },
  (_, at): TradeRow => ({
    symbol: 'BTC',
    timestamp: MIDNIGHT + 20 * at,
    local: MIDNIGHT + 20 * at + (at % 3),
    side: 'buy',
    price: '50',
    amount: String(at),
  }),
);
const LAST = BOOK.at(-1) as BookRow;

for (const [name, row, isReadAgain] of [
  ['once if rows are in order', { ...LAST, amount: '77' }, false],
  ['once if a row is a little late', { ...LAST, timestamp: MIDNIGHT + 39_900 }, false],
  ['again if a row is far too late', { ...LAST, timestamp: MIDNIGHT }, true],
  ['again if a latency is negative', { ...LAST, local: LAST.timestamp - 1 }, true],
] as const)
  test(`reads large days ${name}`, async (t) => {
    const dir = await tempDir(t);
    const book = [...BOOK, row];
    const sources = await writeDay(dir, tradesCsv(TRADES), bookCsv(book));
    let bytes = 0;
    const { outputs } = await exportHere(sources, dir, {}, (count) => {
      bytes += count;
    });
    const sizes = await Promise.all(sources.map(async ({ path }) => (await stat(path)).size));
    const total = (sizes[0] as number) + (sizes[1] as number);
    assert.ok(isReadAgain ? bytes > total : bytes === total, `${bytes} bytes of ${total}`);
    const rows = readRows(await readFile(join(dir, outputs[0]?.path ?? '')));
    assert.deepEqual(rows, slowRows(TRADES, book, { baseLatencyNs: 0n, snapshots: 'process' }));
  });

test('fails for a wrong row at the end of a large day, and leaves no thread and no output', async (t) => {
  const threads = startedThreads(t);
  const dir = await tempDir(t);
  for (const last of [LAST, { ...LAST, timestamp: MIDNIGHT }]) {
    const sources = await writeDay(
      dir,
      tradesCsv(TRADES),
      bookCsv([...BOOK, last, { ...LAST, side: 'buy' }]),
    );
    const exporting = exportHere(sources, join(dir, 'out'));
    await assert.rejects(exporting, { code: 'corrupt', message: /line 40003, column side/ });
  }
  assert.ok(threads.length > 0);
  assert.ok(threads.every(({ threadId }) => threadId === -1));
  assert.deepEqual(await namesIn(join(dir, 'out')).catch(() => []), []);
});

test('fails if a thread ends by itself, and leaves no output', async (t) => {
  const dir = await tempDir(t);
  const sources = await writeDay(dir, tradesCsv([]), bookCsv(BOOK));
  const terminate = (thread: { terminate(): Promise<number> }): void => void thread.terminate();
  process.on('worker', terminate);
  cleanUp(t, () => process.off('worker', terminate));
  await assert.rejects(exportHere(sources, join(dir, 'out')), /the row encoder thread ended with code/);
  assert.deepEqual(await namesIn(join(dir, 'out')).catch(() => []), []);
});
