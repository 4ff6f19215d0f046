import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type SideLevels, TopLevels } from '../../src/market/book-snapshots.js';
import { type BookSide, OrderBook } from '../../src/market/order-book.js';
import { NaiveBook } from './naive/book-snapshots.js';
import type { Level } from './naive/messages.js';

const WHOLE = 5000;

function levelsOf(side: BookSide, depth = WHOLE): Level[] {
  const top = new TopLevels(depth, undefined);
  top.read(side);
  return plain(top);
}

function plain({ prices, amounts, count }: SideLevels): Level[] {
  return Array.from({ length: count }, (_, i) => ({ price: prices[i] ?? 0, amount: amounts[i] ?? 0 }));
}

/** Seeded random numbers, so that a failed run can be repeated. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Order of a snapshot's levels: best first, worst first, or random. */
const ORDERS = ['best', 'worst', 'any'] as const;

test('after every change of a deep book each level equals that of a sorted array', () => {
  const run = fc.record({
    seed: fc.nat(),
    levels: fc.constantFrom(0, 1, 255, 256, 257, 900),
    order: fc.constantFrom(...ORDERS),
    /** Distance of changes from the middle, in ticks. */
    spread: fc.constantFrom(4, 60, 2000),
    deletes: fc.constantFrom(1, 5, 9),
  });
  fc.assert(
    fc.property(run, ({ seed, levels, order, spread, deletes }) => {
      const next = chance(seed);
      const book = new OrderBook();
      const naive = new NaiveBook();
      const apply = (isSnapshot: boolean, bids: Level[], asks: Level[]): void => {
        book.begin(isSnapshot);
        for (const { price, amount } of asks) book.level(true, price, amount);
        for (const { price, amount } of bids) book.level(false, price, amount);
        book.commit();
        naive.apply({
          ...{ exchange: '', symbol: '', timestamp: 0, localTimestamp: 0 },
          isSnapshot,
          bids,
          asks,
        });
        const found = { bids: levelsOf(book.bids), asks: levelsOf(book.asks) };
        assert.deepEqual(found, { bids: naive.bids, asks: naive.asks });
      };
      const side = (sign: number): Level[] => {
        const all = Array.from({ length: levels }, (_, i) => ({
          price: (100_000 + sign * (i + 1)) / 10,
          amount: 1 + next(9),
        }));
        if (order === 'best') return all;
        return order === 'worst' ? all.reverse() : all.sort(() => next(3) - 1);
      };
      const change = (): Level => ({
        price: (100_000 + next(2 * spread) - spread) / 10,
        amount: next(10) < deletes ? 0 : 1 + next(5),
      });
      const some = (): Level[] => Array.from({ length: next(6) }, change);
      apply(false, some(), some());
      for (let i = 0; i < 60; i++) {
        const isSnapshot = i === 1 || next(40) === 0;
        apply(isSnapshot, isSnapshot ? side(-1) : some(), isSnapshot ? side(1) : some());
      }
    }),
    { numRuns: 25 },
  );
});

test('a side grows and shrinks by thousands of levels', () => {
  const next = chance(7);
  const book = new OrderBook();
  const byPrice = new Map<number, number>();
  book.begin(true);
  book.commit();
  for (let i = 0; i < 40_000; i++) {
    const price = next(4000) / 4;
    // Alternate between phases with more additions and with more removals.
    const amount = next(10) < (i < 20_000 ? 2 : 8) ? 0 : 1 + next(100);
    book.begin(false);
    book.level(false, price, amount);
    book.commit();
    if (amount === 0) byPrice.delete(price);
    else byPrice.set(price, amount);
    if (i % 997 !== 0) continue;
    const expected = [...byPrice].sort((a, b) => b[0] - a[0]).map(([p, a]) => ({ price: p, amount: a }));
    assert.deepEqual(levelsOf(book.bids), expected);
  }
});

test('`touched` is never worse than the rank of a changed level', () => {
  const levels = fc.array(
    fc.record({ isAsk: fc.boolean(), price: fc.nat({ max: 900 }), amount: fc.constantFrom(0, 0, 1, 2) }),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(fc.array(levels, { maxLength: 40 }), (changes) => {
      const book = new OrderBook();
      book.begin(true);
      for (let i = 0; i < 800; i++) book.level(i >= 400, i, 1);
      book.commit();
      for (const change of changes) {
        const before = [levelsOf(book.bids), levelsOf(book.asks)];
        book.begin(false);
        for (const { isAsk, price, amount } of change) book.level(isAsk, price, amount);
        book.commit();
        for (const [i, side] of [book.bids, book.asks].entries()) {
          const now = levelsOf(side);
          const first =
            before[i]?.findIndex(
              ({ price, amount }, rank) => now[rank]?.price !== price || now[rank]?.amount !== amount,
            ) ?? -1;
          const changed =
            first >= 0 ? first : now.length === before[i]?.length ? Infinity : (before[i]?.length ?? 0);
          assert.ok(side.touched <= changed, `${side.touched} is behind ${changed}`);
        }
      }
    }),
  );
});

test('detects a level that joins the deepest group that is shown', () => {
  const book = new OrderBook();
  const top = new TopLevels(1, 1);
  const set = (isSnapshot: boolean, ...levels: readonly [price: number, amount: number][]): boolean => {
    book.begin(isSnapshot);
    for (const [price, amount] of levels) book.level(true, price, amount);
    book.commit();
    return book.asks.touched < top.reach && top.read(book.asks);
  };
  top.reach = Number.POSITIVE_INFINITY;
  assert.equal(set(true, [100.1, 1], [100.5, 2], [101.2, 4], [102.3, 8]), true);
  assert.equal(set(false, [101.7, 1]), false);
  assert.equal(set(false, [100.9, 16]), true);
  assert.deepEqual(plain(top), [{ price: 101, amount: 19 }]);
});
