import assert from 'node:assert/strict';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { parseDay } from '../../src/day-files/day.js';
import type { DayFile } from '../../src/day-files/day-file.js';
import { readBody } from '../../src/http/watched-body.js';
import { dayFileUrl, requestDayFile } from '../../src/service/request-day-file.js';
import { clientFor, serve } from './loopback.js';

const FILE: DayFile = {
  exchange: 'deribit',
  dataType: 'trades',
  symbol: 'BTC-PERPETUAL',
  day: parseDay('2024-03-01'),
};
const PATH = '/v1/deribit/trades/2024/03/01/BTC-PERPETUAL.csv.gz';
const WHOLE = Buffer.from('0123456789');
const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
const RESUME = { from: 4, etag: '"e1"', total: 10 };

test('a symbol of any characters is one segment of the path', () => {
  const symbols = fc.string({ unit: 'grapheme', minLength: 1 }).filter((s) => !/^\.{1,2}$/.test(s));
  fc.assert(
    fc.property(symbols, (symbol) => {
      const url = new URL(dayFileUrl('https://d.example', { ...FILE, symbol }));
      const last = url.pathname.split('/').slice(7).join('/');
      return url.search === '' && decodeURIComponent(last) === `${symbol}.csv.gz`;
    }),
  );
});

for (const exchange of ['', '.', '..', '\ud800']) {
  test(`refuses ${JSON.stringify(exchange)} as an exchange`, () => {
    assert.throws(() => dayFileUrl('https://d.example', { ...FILE, exchange }), { code: 'usage' });
  });
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a server and records its requests. */
async function start(t: TestContext, listener: Listener, apiKey?: string) {
  const requests: IncomingMessage[] = [];
  const base = await serve(t, (request, response) => {
    requests.push(request);
    listener(request, response);
  });
  return { requests, client: clientFor(t, base, { apiKey }) };
}

test('the first attempt has no query, and no Authorization header without a key', async (t) => {
  const { requests, client } = await start(t, (_, response) => response.end(WHOLE));
  const answer = await requestDayFile(client, FILE, { attempt: 0 });
  assert.deepEqual(await readBody(answer.body), WHOLE);
  assert.equal(requests[0]?.url, PATH);
  assert.equal('authorization' in (requests[0]?.headers ?? {}), false);
});

test('a retry sends its number and the key', async (t) => {
  const { requests, client } = await start(t, (_, response) => response.end(WHOLE), 'k1');
  await readBody((await requestDayFile(client, FILE, { attempt: 3 })).body);
  assert.equal(requests[0]?.url, `${PATH}?retryAttempt=3`);
  assert.equal(requests[0]?.headers.authorization, 'Bearer k1');
});

test('reads size and MD5 from the redirect too', async (t) => {
  const { client } = await start(t, (request, response) => {
    if (request.url !== '/store') {
      const headers = { location: '/store', 'x-md5': `"${MD5.toUpperCase()}"`, 'x-dataset-size': '10' };
      response.writeHead(302, headers).end();
    } else {
      response.writeHead(200, { 'accept-ranges': 'bytes', etag: '"e1"' });
      response.write(WHOLE);
      response.end();
    }
  });
  const { body, ...rest } = await requestDayFile(client, FILE, { attempt: 0 });
  assert.deepEqual(rest, { start: 0, total: 10, md5: MD5, resumeEtag: '"e1"' });
  await readBody(body);
});

const WHOLE_RESPONSES: readonly [string, OutgoingHttpHeaders, object][] = [
  ['Content-Length beats x-dataset-size', { 'content-length': 10, 'x-dataset-size': '99' }, { total: 10 }],
  [
    'a weak ETag does not allow a resume',
    { 'accept-ranges': 'bytes', etag: 'W/"e"' },
    { resumeEtag: undefined },
  ],
  ['an ETag without ranges does not allow a resume', { etag: '"e"' }, { resumeEtag: undefined }],
  ['ranges without an ETag do not allow a resume', { 'accept-ranges': 'bytes' }, { resumeEtag: undefined }],
  ['an invalid x-md5 is ignored', { 'x-md5': '"abc"' }, { md5: undefined }],
];
for (const [title, headers, expected] of WHOLE_RESPONSES) {
  test(title, async (t) => {
    const { client } = await start(t, (_, response) => response.writeHead(200, headers).end(WHOLE));
    const answer = await requestDayFile(client, FILE, { attempt: 0 });
    assert.deepEqual({ ...answer, ...expected }, { ...answer });
    await readBody(answer.body);
  });
}

const MATCHING = { 'content-range': 'bytes 4-9/10', etag: '"e1"' };

/** Responds to range requests as given, and to others with the whole file. */
const respondToRange =
  (status: number, headers: OutgoingHttpHeaders, bytes: Buffer): Listener =>
  (request, response) => {
    if (request.headers.range === undefined) response.end(WHOLE);
    else response.writeHead(status, headers).end(bytes);
  };

for (const [title, headers] of [
  ['a matching 206', MATCHING],
  ['a matching 206 without an ETag', { 'content-range': 'bytes 4-9/10' }],
] as const) {
  test(`${title} resumes the interrupted transfer`, async (t) => {
    const { requests, client } = await start(t, respondToRange(206, headers, WHOLE.subarray(4)));
    const answer = await requestDayFile(client, FILE, { attempt: 1, resume: RESUME });
    assert.equal((await readBody(answer.body)).toString(), '456789');
    assert.deepEqual([answer.start, answer.total, answer.resumeEtag], [4, 10, '"e1"']);
    assert.equal(requests[0]?.headers.range, 'bytes=4-');
    assert.equal(requests[0]?.headers['if-range'], '"e1"');
  });
}

const MISMATCHES: readonly [string, number, OutgoingHttpHeaders][] = [
  ['another ETag', 206, { ...MATCHING, etag: '"e2"' }],
  ['a weak ETag', 206, { ...MATCHING, etag: 'W/"e1"' }],
  ['another start', 206, { ...MATCHING, 'content-range': 'bytes 3-9/10' }],
  ['another end', 206, { ...MATCHING, 'content-range': 'bytes 4-8/10' }],
  ['another size', 206, { ...MATCHING, 'content-range': 'bytes 4-9/11' }],
  ['an unknown size', 206, { ...MATCHING, 'content-range': 'bytes 4-9/*' }],
  ['no Content-Range', 206, { etag: '"e1"' }],
  ['a contradicting length', 206, { ...MATCHING, 'content-length': 5 }],
  ['416', 416, { 'content-range': 'bytes */10' }],
  ['403', 403, {}],
];
for (const [title, status, headers] of MISMATCHES) {
  test(`a partial response with ${title} is discarded and the whole file requested`, async (t) => {
    const { requests, client } = await start(t, respondToRange(status, headers, Buffer.from('XXXXX')));
    const answer = await requestDayFile(client, FILE, { attempt: 1, resume: RESUME });
    assert.equal(answer.start, 0);
    assert.deepEqual(await readBody(answer.body), WHOLE);
    assert.deepEqual(
      requests.map((request) => request.headers.range),
      ['bytes=4-', undefined],
    );
  });
}

test('uses a whole file that is sent in response to a range request', async (t) => {
  const { requests, client } = await start(t, (_, response) => response.end(WHOLE));
  const answer = await requestDayFile(client, FILE, { attempt: 1, resume: RESUME });
  assert.deepEqual([answer.start, await readBody(answer.body), requests.length], [0, WHOLE, 1]);
});

for (const status of [408, 425]) {
  test(`${status} in response to a range request can be retried, without a second request at once`, async (t) => {
    const { requests, client } = await start(t, respondToRange(status, {}, Buffer.alloc(0)));
    const response = requestDayFile(client, FILE, { attempt: 1, resume: RESUME });
    await assert.rejects(response, { code: 'server_error', status });
    assert.equal(requests.length, 1);
  });
}

test('an expired address of a redirect keeps the part file for the next attempt', async (t) => {
  const { requests, client } = await start(t, (request, response) => {
    if (request.url?.startsWith('/signed')) response.writeHead(403).end('<Error/>');
    else response.writeHead(302, { location: '/signed' }).end();
  });
  const response = requestDayFile(client, FILE, { attempt: 1, resume: RESUME });
  await assert.rejects(response, { code: 'server_error', status: 403 });
  assert.deepEqual(
    requests.map(({ url }) => url),
    [`${PATH}?retryAttempt=1`, '/signed'],
  );
});

test('429 in response to a range request is an error without a second request', async (t) => {
  const { requests, client } = await start(t, respondToRange(429, { 'retry-after': '5' }, Buffer.alloc(0)));
  await assert.rejects(requestDayFile(client, FILE, { attempt: 1, resume: RESUME }), {
    code: 'rate_limited',
    retryAfterMs: 5000,
  });
  assert.equal(requests.length, 1);
});

test('redacts the key if the response contains it', async (t) => {
  const { client } = await start(
    t,
    (request, response) =>
      response.writeHead(401).end(JSON.stringify({ message: request.headers.authorization })),
    's3cret',
  );
  const message = /does not accept the key: "Bearer \*\*\*"/;
  await assert.rejects(requestDayFile(client, FILE, { attempt: 0 }), { message });
});
