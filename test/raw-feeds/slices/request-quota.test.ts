import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequestQuota } from '../../../src/raw-feeds/slices/slice-request.js';

const signal = new AbortController().signal;
const limits = (remaining: number, resetAfter: number): Record<string, string> => ({
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset-after': String(resetAfter),
});

test('sends no more requests than the service allows until its count resets', async () => {
  let now = 0;
  const allowance = createRequestQuota(() => now);
  await allowance.acquire(signal);
  allowance.onHeaders(limits(2, 30));
  allowance.onRequestEnd();
  await allowance.acquire(signal);
  await allowance.acquire(signal);
  let isThrough = false;
  const stop = new AbortController();
  const third = allowance.acquire(stop.signal).then(
    () => {
      isThrough = true;
    },
    () => {},
  );
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isThrough, false);
  stop.abort();
  await third;
  now = 31_000;
  await allowance.acquire(signal);
});

test('counts requests in flight, and reordered responses free none', async () => {
  const allowance = createRequestQuota(() => 0);
  for (let i = 0; i < 3; i++) await allowance.acquire(signal);
  allowance.onHeaders(limits(4, 30));
  allowance.onRequestEnd();
  // Two are in flight, which the service may not have counted: two more may be sent.
  allowance.onHeaders(limits(5, 30));
  allowance.onRequestEnd();
  await allowance.acquire(signal);
  await allowance.acquire(signal);
  await assert.rejects(allowance.acquire(AbortSignal.abort()));
});

test('a response of the next minute frees its requests at once; a late one of the last minute changes nothing', async () => {
  let now = 0;
  const allowance = createRequestQuota(() => now);
  for (let i = 0; i < 3; i++) await allowance.acquire(signal);
  allowance.onHeaders(limits(2, 1));
  allowance.onRequestEnd();
  now = 900;
  allowance.onHeaders(limits(99, 60));
  allowance.onRequestEnd();
  await allowance.acquire(signal);
  allowance.onHeaders(limits(0, 0));
  allowance.onRequestEnd();
  await allowance.acquire(signal);
});

test('a reset time given as a date counts from the time of day', async () => {
  const allowance = createRequestQuota(() => 0);
  await allowance.acquire(signal);
  const resetTime = new Date(Date.now() + 30_000).toUTCString();
  allowance.onHeaders({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': resetTime });
  allowance.onRequestEnd();
  await assert.rejects(allowance.acquire(AbortSignal.abort()));
});

test('headers without usable values delay no request', async () => {
  const allowance = createRequestQuota(() => 0);
  for (const headers of [{}, { 'x-ratelimit-remaining': '0' }, limits(-1, 30), limits(0, 1e9)]) {
    await allowance.acquire(signal);
    allowance.onHeaders(headers);
    allowance.onRequestEnd();
  }
  await allowance.acquire(signal);
});
