import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createGlobMatcher, toDatasetSymbol } from '../../src/dataset/dataset-symbol.js';

test('a glob without wildcards matches its own text only, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      fc.pre(!/[*?]/.test(a));
      assert.equal(createGlobMatcher(a)(b), a === b);
    }),
  );
});

test('a glob is a prefix, a suffix, or both', () => {
  const matches = createGlobMatcher('BTC*-?9*');
  assert.ok(matches('BTC-29MAR24'));
  assert.ok(matches('BTC-X-09'));
  assert.ok(!matches('BTC-9'));
  assert.ok(!matches('ETHBTC-29MAR24'));
});

test('a symbol may be written with slash, colon and small letters', () => {
  assert.equal(toDatasetSymbol(' btc/usd:perp '), 'BTC-USD-PERP');
});

test('a symbol in decomposed letters is the one in composed letters', () => {
  for (const symbol of ['CAFÉ-USDT', 'ÅNGSTRÖM', '가나-KRW', 'ΐ-USD']) {
    assert.equal(toDatasetSymbol(symbol.normalize('NFD')), symbol.toUpperCase().normalize('NFC'));
  }
});
