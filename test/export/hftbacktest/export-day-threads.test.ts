import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUp } from '../../helpers/clean-up.js';
import { startedThreads } from '../../helpers/started-threads.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { bookCsv, exportHere, MIDNIGHT, tradesCsv, writeDay } from './exporting.js';
import { readRows } from './read-npz.js';
import type { BookRow } from './slow-events.js';

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

test('fails if a thread ends by itself, and leaves no output', async (t) => {
  const dir = await tempDir(t);
  const sources = await writeDay(dir, tradesCsv([]), bookCsv(BOOK));
  const terminate = (thread: { terminate(): Promise<number> }): void => void thread.terminate();
  process.on('worker', terminate);
  cleanUp(t, () => process.off('worker', terminate));
  await assert.rejects(exportHere(sources, join(dir, 'out')), /the row encoder thread ended with code/);
  assert.deepEqual(await namesIn(join(dir, 'out')).catch(() => []), []);
});
