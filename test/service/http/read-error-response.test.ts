import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { TickhaulError } from '../../../src/base/errors.js';
import { readErrorResponse } from '../../../src/service/http/read-error-response.js';
import { sendGet } from '../../../src/service/http/send-request.js';
import { clientFor, serve } from '../loopback.js';

interface ErrorResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

async function readError(t: TestContext, sent: ErrorResponse, apiKey?: string): Promise<TickhaulError> {
  const base = await serve(t, (_, response) => {
    response.writeHead(sent.status, sent.headers);
    response.end(typeof sent.body === 'string' ? sent.body : JSON.stringify(sent.body ?? {}));
  });
  const answer = await sendGet(clientFor(t, base), `${base}/v1/x`, {}, undefined);
  return readErrorResponse(answer, apiKey);
}

const CASES: readonly [title: string, sent: ErrorResponse, code: string, retryAfterMs?: number][] = [
  ['401', { status: 401, body: { code: 11, message: 'bad' } }, 'bad_key'],
  ['403', { status: 403, body: { code: 12, message: 'no' } }, 'no_access'],
  ['403 with Retry-After', { status: 403, headers: { 'retry-after': '900' } }, 'ip_locked', 900_000],
  [
    '403 with retryAfterSeconds in its body',
    { status: 403, body: { retryAfterSeconds: 1.5 } },
    'ip_locked',
    1500,
  ],
  ['403 with code 274', { status: 403, body: { code: 274, message: 'other IP' } }, 'ip_locked'],
  ['429', { status: 429, headers: { 'retry-after': '7' } }, 'rate_limited', 7000],
  [
    '429 of the transfer limit',
    { status: 429, body: { message: 'Data Transfer Limit reached' } },
    'transfer_limit',
  ],
  ['404', { status: 404, body: 'not here' }, 'unavailable'],
  ['400 with code 140', { status: 400, body: { code: 140, message: 'day' } }, 'unavailable'],
  ['400 with code 300', { status: 400, body: { code: 300, message: 'symbol' } }, 'unavailable'],
  ['400', { status: 400, body: { code: 1, message: 'bad' } }, 'rejected'],
  ['410', { status: 410 }, 'rejected'],
  ['500', { status: 500, body: '<html>' }, 'server_error'],
  ['503', { status: 503, headers: { 'retry-after': '3' } }, 'server_error', 3000],
  ['204', { status: 204 }, 'bad_answer'],
];

for (const [title, sent, code, retryAfterMs] of CASES) {
  test(`${title} is ${code}`, async (t) => {
    const error = await readError(t, sent);
    assert.deepEqual(
      { code: error.code, status: error.status, retryAfterMs: error.retryAfterMs },
      { code, status: sent.status, retryAfterMs },
    );
  });
}

test('distinguishes a missing key from a wrong one', async (t) => {
  assert.match((await readError(t, { status: 401 })).message, /needs an API key; set TICKHAUL_API_KEY/);
  assert.match((await readError(t, { status: 401 }, 'k')).message, /does not accept the key/);
});

test('quotes the message of the service in one short line without the key', async (t) => {
  const message = `Key s3cret-key\nis \u001b[31mbad\u0000 ${'x'.repeat(5000)}`;
  const error = await readError(t, { status: 401, body: { code: 11, message } }, 's3cret-key');
  assert.match(error.message, /"Key \*\*\* is \[31mbad x+…"$/);
  assert.ok(error.message.length < 320);
});
