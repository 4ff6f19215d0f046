import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TickhaulError } from '../../src/base/errors.js';
import { parseHttpDate, parseRetryAfter } from '../../src/http/failed-response.js';
import { createPause, waitToRetry } from '../../src/http/retry-policy.js';

/** Waits end at once when the signal is aborted. */
const ABORTED = AbortSignal.abort();

/** Waits after a failed attempt. @returns what the wait has called. */
async function retry(cause: TickhaulError, failedAttempts: number, retries = 3): Promise<unknown[]> {
  const calls: unknown[] = [];
  await waitToRetry(cause, failedAttempts, {
    retries,
    maxWaitMs: 60_000,
    pause: createPause(),
    concurrency: { limit: 1, onSuccess: () => {}, onCongestion: (_, kind) => void calls.push(kind) },
    signal: ABORTED,
    onRetry: (waitMs, { code }) => void calls.push(['retry', code, waitMs]),
    onPause: (waitMs) => void calls.push(['pause', waitMs]),
  });
  return calls;
}

test('waits between 0 and a bound that doubles, and at least as long as the service asks', async () => {
  for (const failedAttempts of [1, 2, 3]) {
    const [, [, code, waitMs]] = (await retry(new TickhaulError('reset', 'cut'), failedAttempts)) as [
      string,
      [string, string, number],
    ];
    assert.equal(code, 'reset');
    assert.ok(waitMs >= 0 && waitMs < 250 * 2 ** (failedAttempts - 1), `${waitMs} ms`);
  }
  const asked = await retry(new TickhaulError('server_error', 'busy', { retryAfterMs: 5000 }), 1);
  assert.deepEqual(asked, [['retry', 'server_error', 5000]]);
});

test('a limit of the service pauses the whole run and lowers the concurrency', async () => {
  const limited = new TickhaulError('rate_limited', 'too many', { retryAfterMs: 2000 });
  assert.deepEqual(await retry(limited, 1), ['rate', ['retry', 'rate_limited', 2000], ['pause', 2000]]);
});

test('ends after the retries in a row, fewer if the error says so, and at once if none can help', async () => {
  const cut = new TickhaulError('reset', 'cut');
  await retry(cut, 3);
  await assert.rejects(retry(cut, 4), cut);
  const twice = new TickhaulError('corrupt', 'bad', { maxRetries: 1 });
  await retry(twice, 1);
  await assert.rejects(retry(twice, 2), twice);
  const gone = new TickhaulError('unavailable', 'gone');
  await assert.rejects(retry(gone, 1), gone);
});

test('a wait that is longer than allowed ends the attempts, and is named', async () => {
  const later = new TickhaulError('rate_limited', 'too many', { status: 429, retryAfterMs: 61_000 });
  await assert.rejects(retry(later, 1), {
    code: 'rate_limited',
    status: 429,
    message: 'too many; the wait of 61s is longer than --max-wait',
  });
});

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
