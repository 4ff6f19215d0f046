import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  canonicalizeFilters,
  filterKeys,
  formatFilters,
  MAX_FILTER_SYMBOLS,
  splitFilters,
} from '../../src/raw-feeds/open-feed.js';
import type { FeedFilter } from '../../src/service/feed-filter.js';

const filter = fc.record(
  {
    channel: fc.constantFrom('trade', 'depth', 'quote'),
    symbols: fc.array(
      fc.integer({ min: 0, max: 150 }).map((n) => `s${n}`),
      { maxLength: 130 },
    ),
  },
  { requiredKeys: ['channel'] },
);
const filters = fc.array(filter, { maxLength: 6 });

/** The selection as a set of pairs; a whole channel is a pair with `*`. */
function selected(list: readonly FeedFilter[]): ReadonlySet<string> {
  const all = new Set(list.filter(({ symbols = [] }) => symbols.length === 0).map(({ channel }) => channel));
  return new Set(
    list.flatMap(({ channel, symbols = [] }) =>
      all.has(channel) ? [`${channel} *`] : symbols.map((symbol) => `${channel} ${symbol}`),
    ),
  );
}

test('hashes the filters of the vectors to their keys', () => {
  const cases: readonly (readonly [readonly FeedFilter[], RegExp])[] = [
    [[], /^4f53cda1.*b945$/],
    [[{ channel: 'trade', symbols: ['btcusdt'] }], /^bf145c1f.*06a3$/],
    [
      [
        { channel: 'depthSnapshot', symbols: ['btcusdt'] },
        { channel: 'depth', symbols: ['btcusdt', 'btcusdt'] },
      ],
      /^79c8f5f5.*90db$/,
    ],
  ];
  for (const [list, key] of cases) assert.match(filterKeys(canonicalizeFilters(list))[0] ?? '', key);
});

test('canonical filters select the same, and are equal for equal selections', () => {
  fc.assert(
    fc.property(filters, (list) => {
      const canonical = canonicalizeFilters(list);
      assert.deepEqual(selected(canonical), selected(list));
      assert.deepEqual(canonicalizeFilters(canonical), canonical);
      assert.deepEqual(canonicalizeFilters([...list].reverse()), canonical);
      const channels = canonical.map(({ channel }) => channel);
      assert.deepEqual(channels, [...new Set(channels)].sort());
      for (const { symbols } of canonical) assert.deepEqual(symbols, symbols && [...new Set(symbols)].sort());
    }),
  );
});

test('a whole channel takes precedence over some of its symbols', () => {
  const all = [{ channel: 'trade' }];
  assert.deepEqual(canonicalizeFilters([{ channel: 'trade', symbols: ['x'] }, { channel: 'trade' }]), all);
  assert.deepEqual(canonicalizeFilters([{ channel: 'trade' }, { channel: 'trade', symbols: ['x'] }]), all);
  assert.deepEqual(canonicalizeFilters([{ channel: 'trade', symbols: [] }]), all);
});

test('split filters together select the same, and each fits a request', () => {
  fc.assert(
    fc.property(filters, (list) => {
      const canonical = canonicalizeFilters(list);
      const parts = splitFilters(canonical);
      assert.deepEqual(selected(parts.flat()), selected(canonical));
      assert.equal(
        parts.flat().flatMap(({ symbols = [] }) => symbols).length,
        selected(canonical).size - canonical.filter(({ symbols }) => !symbols).length,
      );
      for (const part of parts) {
        assert.deepEqual(canonicalizeFilters(part), part);
        assert.ok(part.every(({ symbols = [] }) => symbols.length <= MAX_FILTER_SYMBOLS));
      }
      // No part selects everything, unless requested.
      assert.ok(parts.every((part) => part.length > 0) || canonical.length === 0);
    }),
  );
});

test('the text has the channel first, and no symbols for a whole channel', () => {
  const list = canonicalizeFilters([
    { symbols: ['b', 'a'], channel: 'trade' },
    { channel: 'quote', symbols: [] },
  ]);
  assert.equal(formatFilters(list), '[{"channel":"quote"},{"channel":"trade","symbols":["a","b"]}]');
});

test('many filters of one channel, or of as many channels, are joined and split at once', () => {
  const count = 200_000;
  const symbols = canonicalizeFilters(
    Array.from({ length: count }, (_, at) => ({ channel: 'trade', symbols: [`s${at}`] })),
  );
  assert.equal(symbols[0]?.symbols?.length, count);
  assert.equal(splitFilters(symbols).length, count / MAX_FILTER_SYMBOLS);
  const channels = Array.from({ length: count }, (_, at) => ({ channel: `c${at}`, symbols: ['x'] }));
  assert.equal(splitFilters(canonicalizeFilters(channels))[0]?.length, count);
});
