import assert from 'node:assert/strict';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CACHE_FRESH_MS } from '../../../src/service/records/fetch-metadata.js';
import { FIELDS, fetchExchanges, fetchRecord } from '../../../src/service/records/fetch-records.js';
import { tempDir } from '../../helpers/temp.js';
import { clientFor, serve } from '../loopback.js';

const RECORD = {
  id: 'deribit',
  incidentReports: [{ status: 'resolved' }],
  datasets: {
    exportedUntil: '2026-07-03T00:00:00.000Z',
    symbols: [{ id: 'BTC-PERPETUAL', dataTypes: ['trades'], unheardOf: 1 }],
  },
};
const LIST = [{ id: 'binance', supportsDatasets: true }, { id: 'deribit' }];

type Listener = (request: IncomingMessage, response: ServerResponse) => void;
const json =
  (value: unknown): Listener =>
  (_, response) =>
    response.end(typeof value === 'string' ? value : JSON.stringify(value));

async function start(t: TestContext, listener: Listener) {
  const requests: IncomingMessage[] = [];
  const base = await serve(t, (request, response) => {
    requests.push(request);
    listener(request, response);
  });
  const cache = await tempDir(t);
  return { requests, cache, base, client: clientFor(t, base, { apiKey: 's3cret' }) };
}

async function cacheFile(cache: string): Promise<string> {
  const names = await readdir(cache);
  assert.equal(names.length, 1);
  return join(cache, String(names[0]));
}

/** Makes the stored copy older than an hour. */
async function makeStale(cache: string): Promise<void> {
  const then = new Date(Date.now() - CACHE_FRESH_MS - 1000);
  await utimes(await cacheFile(cache), then, then);
}

test('keeps unknown fields of a record and requests it without the key', async (t) => {
  const { client, requests } = await start(t, json(RECORD));
  assert.deepEqual(await fetchRecord(client, 'deribit', FIELDS.whole), RECORD);
  assert.equal(requests[0]?.url, '/v1/exchanges/deribit');
  assert.equal(requests[0]?.headers.authorization, undefined);
});

test('accepts a record without datasets', async (t) => {
  const { client } = await start(t, json({ id: 'x', supportsDatasets: false }));
  assert.equal((await fetchRecord(client, 'x', FIELDS.whole)).datasets, undefined);
});

const { datasets } = RECORD;
const WRONG: readonly (readonly [string, unknown, RegExp])[] = [
  ['id', { datasets }, /^127\.0\.0\.1:\d+\/v1\/exchanges\/deribit: id is missing$/],
  ['exportedUntil', { id: 'x', datasets: { symbols: [] } }, /: datasets\.exportedUntil is missing$/],
  ['symbols', { id: 'x', datasets: { exportedUntil: 'x' } }, /: datasets\.symbols is missing$/],
  [
    'dataTypes of a symbol',
    { id: 'x', datasets: { ...datasets, symbols: [...datasets.symbols, { id: 'y' }] } },
    /: datasets\.symbols\[1\]\.dataTypes is missing$/,
  ],
  [
    'a list as symbols',
    { id: 'x', datasets: { ...datasets, symbols: 'y' } },
    /symbols is a string, and must be an array$/,
  ],
  ['a text as id', { id: 7 }, /: id is a number, and must be a string$/],
  ...([null, 5, 'text', []] as const).map(
    (answer) =>
      [
        `an object but ${JSON.stringify(answer)}`,
        JSON.stringify(answer),
        /: the response is (null|an? \w+), and must be an object$/,
      ] as const,
  ),
  [
    'texts as data types',
    { id: 'x', datasets: { ...datasets, symbols: [{ id: 'y', dataTypes: [1] }] } },
    /: datasets\.symbols\[0\]\.dataTypes\[0\] is a number, and must be a string$/,
  ],
];
for (const [missing, answer, message] of WRONG) {
  test(`refuses a record without ${missing} and names the field`, async (t) => {
    const { client } = await start(t, json(answer));
    await assert.rejects(fetchRecord(client, 'deribit', FIELDS.whole), { code: 'bad_answer', message });
  });
}

for (const answer of [null, 5, 'text', {}, [null], [{ id: null }]]) {
  test(`refuses ${JSON.stringify(answer)} as a list of exchanges with a plain message`, async (t) => {
    const { client } = await start(t, json(JSON.stringify(answer)));
    const message =
      /\/v1\/exchanges: (the response|\[0\](\.id)?) is (null|an? \w+), and must be an? (array|object|string)$/;
    await assert.rejects(fetchExchanges(client), { code: 'bad_answer', message });
  });
}

for (const [text, found] of [
  ['<!doctype html>\n<title>Login</title>', '"<!doctype html> <title>Login</title>"'],
  ['', 'nothing'],
] as const) {
  test(`shows ${found} in the error if it is received instead of JSON`, async (t) => {
    const { client } = await start(t, json(text));
    const message = new RegExp(`/v1/exchanges: expected JSON, found ${found}$`);
    await assert.rejects(fetchExchanges(client), { code: 'bad_answer', message });
  });
}

test('an unknown exchange is a usage error that suggests a similar id', async (t) => {
  const { client } = await start(t, (request, response) => {
    if (request.url === '/v1/exchanges') json(LIST)(request, response);
    else response.writeHead(404).end();
  });
  await assert.rejects(fetchRecord(client, 'binanse', FIELDS.whole), {
    code: 'usage',
    message: 'unknown exchange "binanse"; did you mean binance?',
  });
});

test('retries a server error, but not a refused request', async (t) => {
  const { client, requests } = await start(t, (request, response) => {
    if (requests.length < 3) response.writeHead(503, { 'retry-after': '0' }).end();
    else if (requests.length === 3) json(LIST)(request, response);
    else response.writeHead(403).end();
  });
  assert.deepEqual(await fetchExchanges(client), LIST);
  await assert.rejects(fetchExchanges(client), { code: 'no_access' });
  assert.equal(requests.length, 4);
});

test('does not wait if the service asks for more than a minute', async (t) => {
  const { client, requests } = await start(t, (_, response) =>
    response.writeHead(429, { 'retry-after': '61' }).end(),
  );
  await assert.rejects(fetchExchanges(client), { code: 'rate_limited', retryAfterMs: 61_000 });
  assert.equal(requests.length, 1);
});

test('an abort ends the wait for the next attempt', async (t) => {
  const breaker = new AbortController();
  const { client } = await start(t, (_, response) => {
    response.writeHead(503, { 'retry-after': '59' }).end(() => setImmediate(() => breaker.abort()));
  });
  await assert.rejects(fetchExchanges(client, { signal: breaker.signal }), { code: 'interrupted' });
});

test('uses a fresh copy without a request, unless `fresh` is set', async (t) => {
  const { client, requests, cache } = await start(t, json(RECORD));
  for (let i = 0; i < 3; i++)
    assert.deepEqual(await fetchRecord(client, 'deribit', FIELDS.whole, { cache }), RECORD);
  assert.equal(requests.length, 1);
  await fetchRecord(client, 'deribit', FIELDS.whole, { cache, fresh: true });
  assert.equal(requests.length, 2);
  assert.equal((await readFile(await cacheFile(cache), 'utf8')).includes('s3cret'), false);
});

test('revalidates a stale copy, which is fresh again if unchanged', async (t) => {
  const modified = 'Sun, 06 Nov 1994 08:49:37 GMT';
  const { client, requests, cache } = await start(t, (request, response) => {
    if (request.headers['if-none-match'] === '"v1"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"v1"', 'last-modified': modified }).end(JSON.stringify(RECORD));
  });
  await fetchRecord(client, 'deribit', FIELDS.whole, { cache });
  await makeStale(cache);
  assert.deepEqual(await fetchRecord(client, 'deribit', FIELDS.whole, { cache }), RECORD);
  assert.equal(requests[1]?.headers['if-modified-since'], modified);
  await fetchRecord(client, 'deribit', FIELDS.whole, { cache });
  assert.equal(requests.length, 2);
});

test('replaces a stale copy with a changed record', async (t) => {
  const { client, requests, cache } = await start(t, (_, response) =>
    response.end(JSON.stringify({ ...RECORD, name: `n${requests.length}` })),
  );
  await fetchRecord(client, 'deribit', FIELDS.whole, { cache });
  await makeStale(cache);
  assert.equal((await fetchRecord(client, 'deribit', FIELDS.whole, { cache }))['name'], 'n2');
  assert.equal((await fetchRecord(client, 'deribit', FIELDS.whole, { cache }))['name'], 'n2');
});

for (const [title, damage] of [
  ['cut', (text: string) => text.slice(0, -5)],
  ['empty', () => ''],
  ['invalid', (text: string) => text.replace('exportedUntil', 'exportedUntjl')],
  ['not a cache file', () => 'hello'],
] as const) {
  test(`ignores a copy that is ${title}`, async (t) => {
    const { client, requests, cache } = await start(t, json(RECORD));
    await fetchRecord(client, 'deribit', FIELDS.whole, { cache });
    const path = await cacheFile(cache);
    await writeFile(path, damage(await readFile(path, 'utf8')));
    assert.deepEqual(await fetchRecord(client, 'deribit', FIELDS.whole, { cache }), RECORD);
    assert.equal(requests.length, 2);
    assert.equal(requests[1]?.headers['if-none-match'], undefined);
  });
}

test('works with a cache that cannot be written', async (t) => {
  const { client, cache } = await start(t, json(RECORD));
  await writeFile(join(cache, 'file'), '');
  assert.deepEqual(
    await fetchRecord(client, 'deribit', FIELDS.whole, { cache: join(cache, 'file', 'x') }),
    RECORD,
  );
});

test('a stale copy does not hide an error of the service', async (t) => {
  const { client, requests, cache } = await start(t, (request, response) => {
    if (requests.length === 1) json(RECORD)(request, response);
    else response.writeHead(403).end();
  });
  await fetchRecord(client, 'deribit', FIELDS.whole, { cache });
  await makeStale(cache);
  await assert.rejects(fetchRecord(client, 'deribit', FIELDS.whole, { cache }), { code: 'no_access' });
});
