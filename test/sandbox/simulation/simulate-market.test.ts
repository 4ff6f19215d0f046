import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDay } from '../../../src/day-files/day.js';
import type { MarketEvent } from '../../../src/sandbox/simulation/market-event.js';
import { simulateMarket } from '../../../src/sandbox/simulation/simulate-market.js';
import { createSyntheticInstrument } from '../../../src/sandbox/simulation/synthetic-instrument.js';
import { rounds } from '../../helpers/services.js';

const DAY = parseDay('2024-03-01');
const US_A_DAY = 86_400_000_000;
/** Microseconds within which filled lots leave the book. */
const AT_ONCE = 1000;
/** Amounts are fractions, whose sums are not exact. */
const ROUNDING = 1e-9;

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

test('the events of one type are those among all', () => {
  const rows = 1200;
  for (const [exchange, symbol] of NAMES) {
    const instrument = createSyntheticInstrument(exchange, symbol, 3, DAY);
    const all = simulateEvents([exchange, symbol], rows, 3);
    for (const type of ['trade', 'book_change', 'derivative_ticker', 'liquidation', 'disconnect'] as const) {
      const expected = all.filter((event) => event.type === type);
      assert.ok(expected.length > 0);
      assert.deepEqual([...simulateMarket(instrument, DAY, { rows, seed: 3 }, type)], expected);
    }
  }
});

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

test('a day begins with its first snapshot, and trades follow within minutes, also with few rows', () => {
  const [, name] = NAMES;
  for (let seed = 0; seed < 50; seed++) {
    const events: MarketEvent[] = [];
    for (const event of simulateMarket(createSyntheticInstrument(...name, seed, DAY), DAY, {
      rows: 2000,
      seed,
    })) {
      events.push(event);
      if (event.type === 'trade') break;
    }
    const first = events.at(-1)?.type === 'trade' ? (events.at(-1)?.localTimestamp ?? 0) : Number.NaN;
    assert.equal(events[0]?.type, 'book_change');
    assert.ok(first - DAY * US_A_DAY < 15 * 60_000_000, `seed ${seed}: ${first - DAY * US_A_DAY}`);
    const second = events[1]?.localTimestamp ?? Number.NaN;
    assert.ok(second - DAY * US_A_DAY < 120_000_000, `seed ${seed}: nothing for minutes`);
  }
});

test('each kind has the requested number of rows, in increasing local times within the day', () => {
  fc.assert(
    fc.property(markets, ({ name, rows, seed }) => {
      const events = simulateEvents(name, rows, seed);
      const count = (type: MarketEvent['type']): number =>
        events.filter((event) => event.type === type).length;
      const levels = sum(
        events.map((event) => (event.type === 'book_change' ? event.asks.length + event.bids.length : 0)),
      );
      assert.equal(levels, rows === 1 ? 2 : rows);
      assert.deepEqual(
        [count('trade'), count('derivative_ticker'), count('liquidation')],
        [rows, rows, rows],
      );
      let [timestamp, local] = [0, DAY * US_A_DAY];
      for (const [i, event] of events.entries()) {
        if (event.type === 'disconnect') {
          assert.ok(event.localTimestamp > local);
          local = event.localTimestamp;
          continue;
        }
        const isSameOrder = event.type === 'trade' && events[i - 1]?.type === 'trade';
        assert.ok(event.localTimestamp > local || (isSameOrder && event.localTimestamp === local));
        assert.ok(event.timestamp >= timestamp);
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
    for (let i = 0; i < events.length; i++) {
      const event = events[i];
      if (event?.type === 'book_change') {
        if (event.isSnapshot) for (const side of [book.asks, book.bids]) side.clear();
        for (const side of ['asks', 'bids'] as const) {
          for (const { price, amount } of event[side]) {
            if (amount > 0) book[side].set(price, amount);
            else assert.ok(book[side].delete(price), 'only a level that is there is removed');
          }
        }
        assert.ok(best(true) > best(false));
        assert.deepEqual([book.asks.size, book.bids.size], [25, 25]);
      } else if (event?.type === 'trade') {
        const { price, side, localTimestamp } = event;
        const isAsk = price === best(true);
        assert.equal(price, best(isAsk));
        if (side !== 'unknown') assert.equal(side, isAsk ? 'buy' : 'sell');
        // The other fills of the order have the same times, side and price.
        let taken = 0;
        let next: MarketEvent | undefined = event;
        for (; next?.type === 'trade' && next.localTimestamp === localTimestamp; next = events[++i]) {
          assert.deepEqual([next.price, next.side, next.amount > 0], [price, side, true]);
          taken += next.amount;
        }
        i--;
        const levels = isAsk ? 'asks' : 'bids';
        const left = (book[levels].get(price) ?? 0) - taken;
        assert.ok(left > -ROUNDING);
        orders++;
        if (next?.type === 'book_change' && next.localTimestamp <= localTimestamp + AT_ONCE) {
          assert.ok(next[levels].some((l) => l.price === price && Math.abs(l.amount - left) < ROUNDING));
        } else hidden++;
      } else if (event?.type === 'liquidation') {
        assert.equal(event.price, best(event.side === 'buy'));
      }
    }
    assert.ok(orders > 300 && hidden < orders / 10, `${orders} orders, ${hidden} hidden`);
  }
});

test('an exchange loses its connection at the same time for every symbol', () => {
  const lossOf = (symbol: string, rows: number): number | undefined =>
    simulateEvents(['bitmex', symbol], rows, 2).find(({ type }) => type === 'disconnect')?.localTimestamp;
  assert.equal(lossOf('XBTUSD', 1000), lossOf('ETHUSD', 1000));
  assert.equal(lossOf('XBTUSD', 1000), lossOf('XBTUSD', 2500));
  assert.equal(lossOf('XBTUSD', 499), undefined);
});

test('a connection is lost once: then a snapshot follows, and the book changed meanwhile', () => {
  const events = simulateEvents(NAMES[1], 3000, 2);
  const snapshots = events.filter((event) => event.type === 'book_change' && event.isSnapshot);
  assert.equal(snapshots.length, 2);
  const at = events.findIndex(({ type }) => type === 'disconnect');
  assert.equal(events[at + 1], snapshots[1]);
  assert.equal(events.filter(({ type }) => type === 'disconnect').length, 1);
  assert.ok(simulateEvents(NAMES[1], 100, 2).every(({ type }) => type !== 'disconnect'));
});

test('kinds run out together, so that none fills the last hours of the day alone', () => {
  for (const name of NAMES) {
    const events = simulateEvents(name, 3000, 3);
    const lastHours = events.filter(({ localTimestamp }) => localTimestamp > (DAY + 0.9) * US_A_DAY);
    for (const type of ['trade', 'book_change', 'derivative_ticker', 'liquidation'] as const) {
      const share = (some: readonly MarketEvent[]): number =>
        some.filter((event) => event.type === type).length / some.length;
      assert.ok(
        share(lastHours) > share(events) / 2,
        `${name} ${type}: ${share(lastHours)}, ${share(events)}`,
      );
    }
  }
});
