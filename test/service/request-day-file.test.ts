import assert from 'node:assert/strict';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { parseDay } from '../../src/dataset/day.js';
import type { DayFile } from '../../src/dataset/day-file.js';
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

test('a symbol of any letters stays one segment of the path', () => {
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
  test(`an exchange ${JSON.stringify(exchange)} is refused`, () => {
    assert.throws(() => dayFileUrl('https://d.example', { ...FILE, exchange }), { code: 'usage' });
  });
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves, and notes what each request asked for. */
async function start(t: TestContext, listener: Listener, apiKey?: string) {
  const requests: IncomingMessage[] = [];
  const base = await serve(t, (request, response) => {
    requests.push(request);
    listener(request, response);
  });
  return { requests, client: clientFor(t, base, { apiKey }) };
}

test('a first request carries no query, and no Authorization without a key', async (t) => {
  const { requests, client } = await start(t, (_, response) => response.end(WHOLE));
  const answer = await requestDayFile(client, FILE, { attempt: 0 });
  assert.deepEqual(await readBody(answer.body), WHOLE);
  assert.equal(requests[0]?.url, PATH);
  assert.equal('authorization' in (requests[0]?.headers ?? {}), false);
});

test('a try again carries its number, and the key', async (t) => {
  const { requests, client } = await start(t, (_, response) => response.end(WHOLE), 'k1');
  await readBody((await requestDayFile(client, FILE, { attempt: 3 })).body);
  assert.equal(requests[0]?.url, `${PATH}?retryAttempt=3`);
  assert.equal(requests[0]?.headers.authorization, 'Bearer k1');
});

test('size and sum are read from the redirect too', async (t) => {
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

const PLAIN: readonly [string, OutgoingHttpHeaders, object][] = [
  ['Content-Length beats x-dataset-size', { 'content-length': 10, 'x-dataset-size': '99' }, { total: 10 }],
  ['a weak ETag resumes nothing', { 'accept-ranges': 'bytes', etag: 'W/"e"' }, { resumeEtag: undefined }],
  ['an ETag without ranges resumes nothing', { etag: '"e"' }, { resumeEtag: undefined }],
  ['ranges without an ETag resume nothing', { 'accept-ranges': 'bytes' }, { resumeEtag: undefined }],
  ['an x-md5 that is none is left out', { 'x-md5': '"abc"' }, { md5: undefined }],
];
for (const [title, headers, expected] of PLAIN) {
  test(title, async (t) => {
    const { client } = await start(t, (_, response) => response.writeHead(200, headers).end(WHOLE));
    const answer = await requestDayFile(client, FILE, { attempt: 0 });
    assert.deepEqual({ ...answer, ...expected }, { ...answer });
    await readBody(answer.body);
  });
}

const RIGHT = { 'content-range': 'bytes 4-9/10', etag: '"e1"' };

/** Answers a request for a range as told, a plain one with the whole file. */
const ranged =
  (status: number, headers: OutgoingHttpHeaders, bytes: Buffer): Listener =>
  (request, response) => {
    if (request.headers.range === undefined) response.end(WHOLE);
    else response.writeHead(status, headers).end(bytes);
  };

for (const [title, headers] of [
  ['a right 206', RIGHT],
  ['a right 206 that repeats no ETag', { 'content-range': 'bytes 4-9/10' }],
] as const) {
  test(`${title} goes on where the transfer broke off`, async (t) => {
    const { requests, client } = await start(t, ranged(206, headers, WHOLE.subarray(4)));
    const answer = await requestDayFile(client, FILE, { attempt: 1, resume: RESUME });
    assert.equal((await readBody(answer.body)).toString(), '456789');
    assert.deepEqual([answer.start, answer.total, answer.resumeEtag], [4, 10, '"e1"']);
    assert.equal(requests[0]?.headers.range, 'bytes=4-');
    assert.equal(requests[0]?.headers['if-range'], '"e1"');
  });
}

const WRONG: readonly [string, number, OutgoingHttpHeaders][] = [
  ['another ETag', 206, { ...RIGHT, etag: '"e2"' }],
  ['a weak ETag', 206, { ...RIGHT, etag: 'W/"e1"' }],
  ['another start', 206, { ...RIGHT, 'content-range': 'bytes 3-9/10' }],
  ['another end', 206, { ...RIGHT, 'content-range': 'bytes 4-8/10' }],
  ['another size', 206, { ...RIGHT, 'content-range': 'bytes 4-9/11' }],
  ['an unknown size', 206, { ...RIGHT, 'content-range': 'bytes 4-9/*' }],
  ['no Content-Range', 206, { etag: '"e1"' }],
  ['a length that contradicts', 206, { ...RIGHT, 'content-length': 5 }],
  ['416', 416, { 'content-range': 'bytes */10' }],
  ['403', 403, {}],
];
for (const [title, status, headers] of WRONG) {
  test(`a partial answer with ${title} is thrown away and the whole file asked for`, async (t) => {
    const { requests, client } = await start(t, ranged(status, headers, Buffer.from('XXXXX')));
    const answer = await requestDayFile(client, FILE, { attempt: 1, resume: RESUME });
    assert.equal(answer.start, 0);
    assert.deepEqual(await readBody(answer.body), WHOLE);
    assert.deepEqual(
      requests.map((request) => request.headers.range),
      ['bytes=4-', undefined],
    );
  });
}

test('a whole answer to a request for a range is used as it is', async (t) => {
  const { requests, client } = await start(t, (_, response) => response.end(WHOLE));
  const answer = await requestDayFile(client, FILE, { attempt: 1, resume: RESUME });
  assert.deepEqual([answer.start, await readBody(answer.body), requests.length], [0, WHOLE, 1]);
});

test('429 to a request for a range is an error at once', async (t) => {
  const { requests, client } = await start(t, ranged(429, { 'retry-after': '5' }, Buffer.alloc(0)));
  await assert.rejects(requestDayFile(client, FILE, { attempt: 1, resume: RESUME }), {
    code: 'rate_limited',
    retryAfterMs: 5000,
  });
  assert.equal(requests.length, 1);
});

test('an answer that echoes the key gives an error without it', async (t) => {
  const { client } = await start(
    t,
    (request, response) =>
      response.writeHead(401).end(JSON.stringify({ message: request.headers.authorization })),
    's3cret',
  );
  await assert.rejects(requestDayFile(client, FILE, { attempt: 0 }), (error: Error) => {
    assert.match(error.message, /does not accept the key: "Bearer \*\*\*"/);
    return true;
  });
});
