import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseHttpDate, parseRetryAfter } from '../../src/http/failed-response.js';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
const EXAMPLE = Date.UTC(1994, 10, 6, 8, 49, 37);

test('the three date forms of RFC 9110 give the same time', () => {
  for (const text of [
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ]) {
    assert.equal(parseHttpDate(text), EXAMPLE, text);
  }
});

test('parses any IMF-fixdate to the second', () => {
  const seconds = fc.integer({ min: 0, max: 4e9 });
  fc.assert(fc.property(seconds, (s) => parseHttpDate(new Date(s * 1000).toUTCString()) === s * 1000));
});

test('gives the time until a date, and 0 for a past date', () => {
  assert.equal(parseRetryAfter('Sat, 21 Nov 2026 12:00:30 GMT', NOW), 30_000);
  assert.equal(parseRetryAfter('Sun, 06 Nov 1994 08:49:37 GMT', NOW), 0);
});

test('converts seconds to milliseconds', () => {
  assert.equal(parseRetryAfter(' 120 ', NOW), 120_000);
  assert.equal(parseRetryAfter('0', NOW), 0);
  assert.equal(parseRetryAfter(2.5, NOW), 2500);
  assert.equal(parseRetryAfter(-1, NOW), 0);
  assert.equal(parseRetryAfter('9'.repeat(400), NOW), Number.MAX_SAFE_INTEGER);
});

test('never gives a negative or endless wait', () => {
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^\d{1,400}$/), fc.double().map(String));
  fc.assert(
    fc.property(texts, (text) => {
      const ms = parseRetryAfter(text, NOW);
      return ms === undefined || (ms >= 0 && Number.isFinite(ms));
    }),
  );
});

for (const text of [
  undefined,
  null,
  {},
  Number.NaN,
  '',
  'soon',
  '-5',
  'Sun, 06 Foo 1994 08:49:37 GMT',
  '06 Nov 1994 25:49:37 GMT',
]) {
  test(`ignores "${text}"`, () => assert.equal(parseRetryAfter(text, NOW), undefined));
}
