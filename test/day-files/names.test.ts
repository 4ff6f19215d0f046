import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createGlobMatcher, toDatasetSymbol } from '../../src/day-files/dataset-symbol.js';

test('a glob without wildcards matches only its own text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      fc.pre(!/[*?]/.test(a));
      assert.equal(createGlobMatcher(a)(b), a === b);
    }),
  );
});

test('a glob matches prefixes, suffixes, or both', () => {
  const matches = createGlobMatcher('BTC*-?9*');
  assert.ok(matches('BTC-29MAR24'));
  assert.ok(matches('BTC-X-09'));
  assert.ok(!matches('BTC-9'));
  assert.ok(!matches('ETHBTC-29MAR24'));
});

test('a symbol may be written with slashes, colons and lower-case letters', () => {
  assert.equal(toDatasetSymbol(' btc/usd:perp '), 'BTC-USD-PERP');
});

test('a symbol in decomposed Unicode form equals the composed form', () => {
  for (const symbol of ['CAFÉ-USDT', 'ÅNGSTRÖM', '가나-KRW', 'ΐ-USD']) {
    assert.equal(toDatasetSymbol(symbol.normalize('NFD')), symbol.toUpperCase().normalize('NFC'));
  }
});
