import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { TickhaulError } from '../../src/base/errors.js';
import { readErrorResponse } from '../../src/service/read-error-response.js';
import { sendGet } from '../../src/service/send-request.js';
import { clientFor, serve } from './loopback.js';

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
  ['408', { status: 408, body: '<html><h1>408</h1></html>' }, 'server_error'],
  ['425', { status: 425, headers: { 'retry-after': '2' } }, 'server_error', 2000],
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

const HTML = { 'content-type': 'text/html; charset=utf-8' };

const PAGES: readonly [title: string, sent: ErrorResponse, says: RegExp][] = [
  [
    'a title',
    { status: 403, headers: HTML, body: '<title>Blocked by policy</title>' },
    /: "Blocked by policy";/,
  ],
  ['no content type', { status: 401, body: '\n<!DOCTYPE html><title>Sign in</title>' }, /: "Sign in";/],
  [
    'a heading',
    { status: 403, headers: HTML, body: '<h1 class="x">Access denied</h1>' },
    /: "Access denied";/,
  ],
  ['no title', { status: 403, headers: HTML, body: 'Forbidden' }, /refused the request \(403\); check/],
  [
    'control characters, entities and the key in its title',
    {
      status: 403,
      headers: { ...HTML, 'retry-after': '9' },
      body: `<html><title>\nA&amp;B &#8211; &#27;[31m\u001b]0;x\u0007&#9999999; k3y\u2028end</title>`,
    },
    /: "A&B – \[31m \]0;x &#9999999; \*\*\* end"; check/,
  ],
  [
    'a title without an end',
    { status: 403, headers: HTML, body: `<title>${'<title'.repeat(9000)}` },
    /refused the request \(403\)/,
  ],
  ['a long title', { status: 403, headers: HTML, body: `<title>${'x'.repeat(900)}</title>` }, /"x{119}…"/],
];
for (const [title, sent, says] of PAGES) {
  test(`a refusal with a page is that of a server before the service: ${title}`, async (t) => {
    const error = await readError(t, sent, 'k3y');
    assert.deepEqual([error.code, error.exitCode, error.status], ['bad_answer', 5, sent.status]);
    assert.match(error.message, says);
    assert.doesNotMatch(error.message, /access to this|accept the key|IP address|k3y|\p{Cc}/u);
  });
}

for (const status of [401, 403, 410]) {
  test(`${status} of the address of a redirect is retried, and does not blame the key`, async (t) => {
    const store = await serve(t, (_, response) =>
      response.writeHead(status, { 'retry-after': '1' }).end('<Error><Code>AccessDenied</Code></Error>'),
    );
    const base = await serve(t, (_, response) =>
      response.writeHead(302, { location: `${store}/signed` }).end(),
    );
    const answer = await sendGet(clientFor(t, base), `${base}/v1/x`, {}, undefined);
    const error = await readErrorResponse(answer, 'k');
    assert.deepEqual([error.code, error.status, error.retryAfterMs], ['server_error', status, 1000]);
    assert.match(
      error.message,
      /\/signed: the address of the redirect refused the request .*may have expired/,
    );
    assert.doesNotMatch(error.message, /key/);
  });
}

test('a refusal in the form of the service is that of the service after a redirect too', async (t) => {
  const base = await serve(t, (request, response) => {
    if (request.url === '/v1/x') response.writeHead(307, { location: '/v2/x' }).end();
    else response.writeHead(403).end('{"code":12,"message":"no"}');
  });
  const answer = await sendGet(clientFor(t, base), `${base}/v1/x`, {}, undefined);
  assert.equal((await readErrorResponse(answer, 'k')).code, 'no_access');
});

test('neither quotes nor names a key that the service echoes in another form', async (t) => {
  const key = 'TD.a+b/c=&"d';
  const base = await serve(t, (request, response) => {
    const echo = encodeURIComponent(key);
    if (request.url === '/v1/x') response.writeHead(302, { location: `/${echo}/page` }).end();
    else
      response
        .writeHead(401)
        .end(JSON.stringify({ code: 11, message: `bad key=${echo.replace('%2B', '%2b')}` }));
  });
  const client = clientFor(t, base, { apiKey: key });
  const answer = await sendGet(client, `${base}/v1/x`, {}, undefined);
  const { message } = await readErrorResponse(answer, key);
  assert.equal(message, `${new URL(base).host}/***/page: the service does not accept the key: "bad key=***"`);
});
