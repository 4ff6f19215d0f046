import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDay } from '../../../src/day-files/day.js';
import type { LineFilter } from '../../../src/sandbox/feed-lines/feed-markets.js';
import {
  createSyntheticFeeds,
  type SyntheticFeeds,
} from '../../../src/sandbox/feed-lines/synthetic-feeds.js';
import { createSyntheticExchanges } from '../../../src/sandbox/simulation/synthetic-exchanges.js';

const MIDNIGHT = parseDay('2024-03-01') * 1440;

function feedsOf({ rows = 2000, breaks = 0, maxCachedCharacters = 64_000_000 } = {}): SyntheticFeeds {
  const exchanges = createSyntheticExchanges(parseDay('2024-03-10'), rows);
  return createSyntheticFeeds({ rows, seed: 4, exchanges, breaks, maxCachedCharacters });
}

/** @param from minutes of the day. */
function textOf(
  feeds: SyntheticFeeds,
  exchange: string,
  filters: readonly LineFilter[],
  from: number,
  to: number,
): string {
  let text = '';
  for (let i = from; i < to; i++) text += feeds.minute(exchange, filters, MIDNIGHT + i) ?? '';
  return text;
}

test('minutes are the same in any order, cached or not', () => {
  const right = Array.from({ length: 90 }, (_, i) => textOf(feeds, 'bitmex', [], i, i + 1));
  assert.ok(new Set(right).size > 80);
  fc.assert(
    fc.property(
      fc.array(fc.nat(89), { maxLength: 12 }),
      fc.constantFrom(0, 60_000, 64_000_000),
      (minutes, maxCachedCharacters) => {
        const shuffled = feedsOf({ maxCachedCharacters });
        for (const minute of minutes) {
          assert.ok(textOf(shuffled, 'bitmex', [], minute, minute + 1) === right[minute]);
        }
      },
    ),
    { numRuns: 20 },
  );
});

const feeds = feedsOf();

test('filters select lines by channels and symbols in the names of the exchange', () => {
  const option = /"ticker\.(BTC-[^.]+-[CP])\./.exec(textOf(feeds, 'deribit', [], 0, 5))?.[1] ?? '';
  for (const [exchange, filters, isWanted] of [
    ['bitmex', [{ channel: 'quote' }, { channel: 'trade', symbols: ['XBTUSD'] }], /"quote"|"trade".*XBTUSD/],
    ['binance-futures', [{ channel: 'depth', symbols: ['btcusdt'] }], /"btcusdt@depth@/],
    [
      'okex-swap',
      [{ channel: 'index-tickers', symbols: ['ETH-USDT'] }],
      /"index-tickers","instId":"ETH-USDT"/,
    ],
    ['deribit', [{ channel: 'ticker', symbols: [option] }], new RegExp(`"ticker\\.${option}\\.`)],
    ['coinbase', [{ channel: 'match', symbols: [] }], /"type":"match"/],
  ] as const) {
    const all = textOf(feeds, exchange, [], 0, 20).split('\n');
    const wanted = all.filter((line) => isWanted.test(line));
    assert.ok(wanted.length > 0 && wanted.length < all.length, exchange);
    assert.deepEqual(textOf(feeds, exchange, filters, 0, 20).trimEnd().split('\n'), wanted);
  }
  assert.equal(textOf(feeds, 'binance-futures', [{ channel: 'depth', symbols: ['btcusd_perp'] }], 0, 60), '');
  assert.equal(feeds.minute('kraken', [], MIDNIGHT), undefined);
});

test('local times increase, and are within their minute', () => {
  for (const exchange of ['bitmex', 'deribit']) {
    for (let minute = 0; minute < 60; minute++) {
      const lines = textOf(feeds, exchange, [], minute, minute + 1)
        .split('\n')
        .slice(0, -1);
      const times = lines.map((line) => line.slice(0, 28));
      const start = new Date((MIDNIGHT + minute) * 60_000).toISOString().slice(0, 17);
      assert.ok(times.every((time) => time.startsWith(start) && /\.\d{7}Z$/.test(time)));
      assert.deepEqual(times, [...times].sort());
    }
  }
});

test('the connection is lost once a day for all symbols, and reconnects at midnight', () => {
  const filters = [{ channel: 'orderBookL2' }];
  const text = textOf(feeds, 'bitmex', filters, 0, 1440);
  assert.ok(text.endsWith('}\n\n') && !text.startsWith('\n'));
  const parts = text.trimEnd().split('\n\n\n');
  assert.equal(parts.length, 2);
  for (const part of parts) {
    for (const symbol of ['XBTUSD', 'ETHUSD']) {
      const [first, ...others] = part.split('\n').filter((line) => line.includes(`"symbol":"${symbol}"`));
      assert.match(first ?? '', /"action":"partial"/);
      assert.ok(others.length > 100 && others.every((line) => !line.includes('"partial"')));
    }
  }
});

test('after an added disconnect each symbol has a snapshot; other events are unchanged', () => {
  const filters = [{ channel: 'orderBookL2' }];
  const [plain, broken] = [feeds, feedsOf({ breaks: 0.2 })].map((one) =>
    textOf(one, 'bitmex', filters, 0, 200),
  );
  const parts = (broken ?? '').split('\n\n\n').filter((part) => part !== '');
  assert.ok(parts.length > 20, `${parts.length}`);
  for (const part of parts) {
    const lines = part.trimEnd().split('\n');
    const symbols = new Set(lines.map((line) => /"symbol":"(\w+)"/.exec(line)?.[1]));
    assert.equal(symbols.size, 2);
    assert.ok(lines.slice(0, 2).every((line) => line.includes('"partial"')));
  }
  const timesOf = (text: string): readonly string[] =>
    text.split('\n').flatMap((line) => (/"(?:update|insert|delete)"/.test(line) ? [line.slice(0, 28)] : []));
  assert.deepEqual(timesOf(broken ?? ''), timesOf(plain ?? ''));
});
