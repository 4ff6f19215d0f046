import assert from 'node:assert/strict';
import type { ArrayRow, BookRow, TradeRow } from './slow-events.js';

/** What a backtester sees on the local clock: the trades, and the book after each of its local times. */
export function assertSameMarket(
  rows: readonly ArrayRow[],
  trades: readonly TradeRow[],
  book: readonly BookRow[],
): void {
  const seen = rows.filter(({ ev }) => (ev >> 30n) & 1n);
  const seenTrades = seen.filter(({ ev }) => (ev & 15n) === 2n);
  const byLocal = <T extends { local: number }>(list: readonly T[]): T[] =>
    list.toSorted((a, b) => a.local - b.local);
  assert.deepEqual(
    seenTrades.map(({ px, qty }) => [px, qty]),
    byLocal(trades).map(({ price, amount }) => [Number(price), Number(amount)]),
  );
  const isSorted = book.every(({ local }, at) => at === 0 || local >= (book[at - 1] as BookRow).local);
  if (!isSorted) return;
  assert.deepEqual(statesOf(seen.filter(({ ev }) => (ev & 15n) !== 2n)), statesOfCsv(book));
}

type Book = Map<string, number>;

function statesOf(rows: readonly ArrayRow[]): readonly string[] {
  const book: Book = new Map();
  return lastOfEach(
    rows,
    ({ local }) => local,
    ({ ev, px, qty }) => {
      const isBid = ((ev >> 29n) & 1n) === 1n;
      if ((ev & 15n) === 3n) clear(book, isBid, px);
      else set(book, isBid, px, qty);
      return describe(book);
    },
  );
}

function statesOfCsv(rows: readonly BookRow[]): readonly string[] {
  const book: Book = new Map();
  return lastOfEach(
    rows,
    ({ local }) => local,
    (row, at) => {
      const before = rows[at - 1];
      if (row.isSnapshot && !(before?.isSnapshot && before.local === row.local)) {
        const other = rows.findIndex(
          ({ isSnapshot, local }, later) => later > at && !(isSnapshot && local === row.local),
        );
        const levels = rows.slice(at, other < 0 ? undefined : other);
        for (const side of ['bid', 'ask']) {
          const last = levels.findLast((level) => level.side === side);
          if (last) clear(book, side === 'bid', Number(last.price));
        }
      }
      set(book, row.side === 'bid', Number(row.price), Number(row.amount));
      return describe(book);
    },
  );
}

/** The results for the last row of each time. */
function lastOfEach<T>(
  rows: readonly T[],
  time: (row: T) => unknown,
  step: (row: T, at: number) => string,
): string[] {
  return rows
    .map(step)
    .filter((_, at) => at + 1 === rows.length || time(rows[at] as T) !== time(rows[at + 1] as T));
}

function set(book: Book, isBid: boolean, px: number, qty: number): void {
  if (qty === 0) book.delete(`${isBid} ${px}`);
  else book.set(`${isBid} ${px}`, qty);
}

/** Removes the levels of a side from the best one to a price. */
function clear(book: Book, isBid: boolean, px: number): void {
  for (const key of [...book.keys()]) {
    const [side, price] = key.split(' ');
    if (side === String(isBid) && (isBid ? Number(price) >= px : Number(price) <= px)) book.delete(key);
  }
}

function describe(book: Book): string {
  return [...book]
    .map(([key, qty]) => `${key} ${qty}`)
    .sort()
    .join();
}
