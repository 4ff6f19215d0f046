import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  createClosedError,
  createExchangeError,
  createHandshakeError,
  reconnectDelayMs,
} from '../../src/live/connection-errors.js';
import { createLocalClock } from '../../src/live/stream-live.js';

test('waits as long as requested, longer after limits, bans and refusals, otherwise as retries do', () => {
  const refused = (status: number, headers: Record<string, string> = {}) =>
    createHandshakeError('x', status, headers);
  const within = (ms: number, from: number, more: number): void =>
    assert.ok(ms >= from && ms < from + more, `${ms} is not ${from} to ${from + more}`);
  within(reconnectDelayMs(refused(429, { 'retry-after': '90' }), 1), 90_000, 250);
  within(reconnectDelayMs(refused(503, { 'retry-after': '2' }), 1), 2000, 250);
  within(reconnectDelayMs(refused(429), 1), 16_000, 250);
  within(reconnectDelayMs(refused(429), 3), 48_000, 1000);
  within(reconnectDelayMs(refused(429), 49), 300_000, 30_000);
  within(reconnectDelayMs(refused(418), 1), 120_000, 250);
  within(reconnectDelayMs(refused(403), 2), 60_000, 500);
  within(reconnectDelayMs(refused(500), 1), 0, 250);
  within(reconnectDelayMs(createClosedError('x', 1006, ''), 1), 0, 250);
  within(reconnectDelayMs(createClosedError('x', 4000, 'Too many connections'), 1), 16_000, 250);
});

test('a temporary failure is not a refusal', () => {
  for (const status of [408, 425, 500, 503])
    assert.equal(createHandshakeError('x', status, {}).code, 'server_error', String(status));
  assert.equal(createHandshakeError('x', 400, {}).code, 'rejected');
});

test('shortens an error message, and detects a rate limit and its duration', () => {
  const bitmex = { status: 429, error: 'Rate limit exceeded', meta: { retryAfter: 5 } };
  const limit = createExchangeError('bitmex', JSON.stringify(bitmex), bitmex);
  assert.deepEqual([limit.code, limit.retryAfterMs], ['rate_limited', 5000]);
  const long = createExchangeError('okex', `\u001b${'x'.repeat(500)}`, {});
  assert.equal(long.code, 'rejected');
  assert.equal(long.message, `okex sent an error: \ufffd${'x'.repeat(199)}…`);
});

test('the clock adds microseconds to the system clock’s milliseconds, and only goes back with it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(3000), fc.integer({ min: -20, max: 20 })), { minLength: 1 }),
      (steps) => {
        let fine = 1000;
        let drift = 1_700_000_000_000;
        let last = 0;
        const wall = (): number => Math.floor(fine + drift);
        const now = createLocalClock(wall, () => fine);
        for (const [micros, jump] of steps) {
          fine += micros / 1000;
          drift += jump;
          const time = now();
          assert.equal(Math.floor(time / 1000), wall());
          if (jump >= 0) assert.ok(time >= last);
          last = time;
        }
      },
    ),
  );
});
