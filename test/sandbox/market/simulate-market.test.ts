import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDay } from '../../../src/day-files/day.js';
import type { MarketEvent } from '../../../src/sandbox/market/market-event.js';
import { simulateMarket } from '../../../src/sandbox/market/simulate-market.js';
import { createSyntheticInstrument } from '../../../src/sandbox/market/synthetic-instrument.js';
import { rounds } from '../../helpers/services.js';

const DAY = parseDay('2024-03-01');
const US_A_DAY = 86_400_000_000;
/** Microseconds within which filled lots leave the book. */
const AT_ONCE = 1000;

const NAMES = [
  ['bitmex', 'XBTUSD'],
  ['binance-futures', 'DOGEUSDT'],
  ['kraken', 'XBT-USD'],
  ['ftx', 'BTC-PERP'],
] as const;

const markets = fc.record({
  name: fc.constantFrom(...NAMES),
  seed: fc.nat(1000),
  rows: fc.oneof(fc.nat(12), fc.integer({ min: 0, max: 3000 })),
});

function simulateEvents(name: readonly [string, string], rows: number, seed: number): MarketEvent[] {
  return [...simulateMarket(createSyntheticInstrument(...name, seed, DAY), DAY, { rows, seed })];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

test('a day begins with its first snapshot, and trades follow within minutes, also with few rows', () => {
  const [, name] = NAMES;
  for (let seed = 0; seed < 50; seed++) {
    const events = simulateEvents(name, 2000, seed);
    const first = events.find(({ kind }) => kind === 'trades')?.localTimestamp ?? Number.NaN;
    assert.equal(events[0]?.kind, 'book_change');
    assert.ok(first - DAY * US_A_DAY < 15 * 60_000_000, `seed ${seed}: ${first - DAY * US_A_DAY}`);
    const second = events[1]?.localTimestamp ?? Number.NaN;
    assert.ok(second - DAY * US_A_DAY < 120_000_000, `seed ${seed}: nothing for minutes`);
  }
});

test('each kind has the requested number of rows, in increasing local times within the day', () => {
  fc.assert(
    fc.property(markets, ({ name, rows, seed }) => {
      const events = simulateEvents(name, rows, seed);
      const count = (kind: MarketEvent['kind'], rowsOf: (event: MarketEvent) => number = () => 1): number =>
        sum(events.map((event) => (event.kind === kind ? rowsOf(event) : 0)));
      assert.equal(
        count('trades', (event) => (event.kind === 'trades' ? event.fills.length : 0)),
        rows,
      );
      assert.equal(
        count('book_change', (event) => (event.kind === 'book_change' ? event.levels.length : 0)),
        rows === 1 ? 2 : rows,
      );
      assert.deepEqual([count('ticker'), count('liquidation')], [rows, rows]);
      let [timestamp, local] = [0, DAY * US_A_DAY];
      for (const event of events) {
        if (event.kind === 'disconnect') {
          assert.ok(event.localTimestamp > local);
          local = event.localTimestamp;
          continue;
        }
        assert.ok(event.localTimestamp > local && event.timestamp >= timestamp);
        assert.ok(event.timestamp <= event.localTimestamp);
        ({ timestamp, localTimestamp: local } = event);
      }
      assert.ok(local < (DAY + 1) * US_A_DAY);
    }),
    { numRuns: rounds(60) },
  );
});

test('orders fill at the best level, and their lots leave it, unless a hidden order replaced them', () => {
  for (const name of NAMES) {
    const book = { asks: new Map<number, number>(), bids: new Map<number, number>() };
    const best = (isAsk: boolean): number =>
      isAsk ? Math.min(...book.asks.keys()) : Math.max(...book.bids.keys());
    let [hidden, orders] = [0, 0];
    const events = simulateEvents(name, 3000, 5);
    for (const [i, event] of events.entries()) {
      if (event.kind === 'book_change') {
        if (event.isSnapshot) for (const side of [book.asks, book.bids]) side.clear();
        for (const { isAsk, ticks, lots } of event.levels) {
          const side = isAsk ? book.asks : book.bids;
          if (lots > 0) side.set(ticks, lots);
          else assert.ok(side.delete(ticks), 'only a level that is there is removed');
        }
        assert.ok(best(true) > best(false));
        assert.deepEqual([book.asks.size, book.bids.size], [25, 25]);
      } else if (event.kind === 'trades') {
        const isAsk = event.ticks === best(true);
        assert.equal(event.ticks, best(isAsk));
        if (event.side !== 'unknown') assert.equal(event.side, isAsk ? 'buy' : 'sell');
        const taken = sum(event.fills.map(({ lots }) => lots));
        const left = ((isAsk ? book.asks : book.bids).get(event.ticks) ?? 0) - taken;
        assert.ok(left >= 0 && event.fills.every(({ lots }) => lots > 0));
        orders++;
        const next = events[i + 1];
        if (next?.kind === 'book_change' && next.localTimestamp <= event.localTimestamp + AT_ONCE) {
          assert.ok(next.levels.some((l) => l.isAsk === isAsk && l.ticks === event.ticks && l.lots === left));
        } else hidden++;
      } else if (event.kind === 'liquidation') {
        assert.equal(event.ticks, best(event.side === 'buy'));
      }
    }
    assert.ok(orders > 300 && hidden < orders / 10, `${orders} orders, ${hidden} hidden`);
  }
});

test('an exchange loses its connection at the same time for every symbol', () => {
  const lossOf = (symbol: string, rows: number): number | undefined =>
    simulateEvents(['bitmex', symbol], rows, 2).find(({ kind }) => kind === 'disconnect')?.localTimestamp;
  assert.equal(lossOf('XBTUSD', 1000), lossOf('ETHUSD', 1000));
  assert.equal(lossOf('XBTUSD', 1000), lossOf('XBTUSD', 2500));
  assert.equal(lossOf('XBTUSD', 499), undefined);
});

test('a connection is lost once: then a snapshot follows, and the book changed meanwhile', () => {
  const events = simulateEvents(NAMES[1], 3000, 2);
  const snapshots = events.filter((event) => event.kind === 'book_change' && event.isSnapshot);
  assert.equal(snapshots.length, 2);
  const at = events.findIndex(({ kind }) => kind === 'disconnect');
  assert.equal(events[at + 1], snapshots[1]);
  assert.equal(events.filter(({ kind }) => kind === 'disconnect').length, 1);
  assert.ok(simulateEvents(NAMES[1], 100, 2).every(({ kind }) => kind !== 'disconnect'));
});

test('kinds run out together, so that none fills the last hours of the day alone', () => {
  for (const name of NAMES) {
    const events = simulateEvents(name, 3000, 3);
    const lastHours = events.filter(({ localTimestamp }) => localTimestamp > (DAY + 0.9) * US_A_DAY);
    for (const kind of ['trades', 'book_change', 'ticker', 'liquidation'] as const) {
      const share = (some: readonly MarketEvent[]): number =>
        some.filter((event) => event.kind === kind).length / some.length;
      assert.ok(
        share(lastHours) > share(events) / 2,
        `${name} ${kind}: ${share(lastHours)}, ${share(events)}`,
      );
    }
  }
});
