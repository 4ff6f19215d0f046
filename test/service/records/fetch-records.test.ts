import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fetchExchange, fetchExchanges } from '../../../src/service/records/fetch-records.js';
import { CACHE_FRESH_MS } from '../../../src/service/records/response-cache.js';
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
  const cache = await mkdtemp(join(tmpdir(), 'tickhaul-cache-'));
  t.after(() => rm(cache, { recursive: true, force: true }));
  return { requests, cache, base, client: clientFor(t, base, { apiKey: 's3cret' }) };
}

async function cacheFile(cache: string): Promise<string> {
  const names = await readdir(cache);
  assert.equal(names.length, 1);
  return join(cache, String(names[0]));
}

/** Makes the stored copy older than an hour. */
async function age(cache: string): Promise<void> {
  const then = new Date(Date.now() - CACHE_FRESH_MS - 1000);
  await utimes(await cacheFile(cache), then, then);
}

test('a record keeps fields that nobody knows, and the key is not sent for it', async (t) => {
  const { client, requests } = await start(t, json(RECORD));
  assert.deepEqual(await fetchExchange(client, 'deribit'), RECORD);
  assert.equal(requests[0]?.url, '/v1/exchanges/deribit');
  assert.equal(requests[0]?.headers.authorization, undefined);
});

test('a record may have no datasets', async (t) => {
  const { client } = await start(t, json({ id: 'x', supportsDatasets: false }));
  assert.equal((await fetchExchange(client, 'x')).datasets, undefined);
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
    'a list where symbols is a text',
    { id: 'x', datasets: { ...datasets, symbols: 'y' } },
    /symbols is a string, and must be an array$/,
  ],
  ['an id that is text', { id: 7 }, /: id is a number, and must be a string$/],
  ...([null, 5, 'text', []] as const).map(
    (answer) =>
      [
        `an object but ${JSON.stringify(answer)}`,
        JSON.stringify(answer),
        /: the answer is (null|an? \w+), and must be an object$/,
      ] as const,
  ),
  [
    'data types that are texts',
    { id: 'x', datasets: { ...datasets, symbols: [{ id: 'y', dataTypes: [1] }] } },
    /: datasets\.symbols\[0\]\.dataTypes\[0\] is a number, and must be a string$/,
  ],
];
for (const [missing, answer, message] of WRONG) {
  test(`an answer without ${missing} is named`, async (t) => {
    const { client } = await start(t, json(answer));
    await assert.rejects(fetchExchange(client, 'deribit'), { code: 'bad_answer', message });
  });
}

for (const answer of [null, 5, 'text', {}, [null], [{ id: null }]]) {
  test(`a list of exchanges that is ${JSON.stringify(answer)} is told in words of our own`, async (t) => {
    const { client } = await start(t, json(JSON.stringify(answer)));
    const message =
      /\/v1\/exchanges: (the answer|\[0\](\.id)?) is (null|an? \w+), and must be an? (array|object|string)$/;
    await assert.rejects(fetchExchanges(client), { code: 'bad_answer', message });
  });
}

for (const [text, found] of [
  ['<!doctype html>\n<title>Login</title>', '"<!doctype html> <title>Login</title>"'],
  ['', 'nothing'],
] as const) {
  test(`${found} instead of JSON is shown with its address`, async (t) => {
    const { client } = await start(t, json(text));
    await assert.rejects(fetchExchanges(client), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'bad_answer');
      assert.ok(error.message.endsWith(`/v1/exchanges: expected JSON, found ${found}`), error.message);
      return true;
    });
  });
}

test('an unknown exchange is a usage error with the nearest one', async (t) => {
  const { client } = await start(t, (request, response) => {
    if (request.url === '/v1/exchanges') json(LIST)(request, response);
    else response.writeHead(404).end();
  });
  await assert.rejects(fetchExchange(client, 'binanse'), {
    code: 'usage',
    message: 'unknown exchange "binanse"; did you mean binance?',
  });
});

test('a failed answer is asked for again, a refused one is not', async (t) => {
  const { client, requests } = await start(t, (request, response) => {
    if (requests.length < 3) response.writeHead(503, { 'retry-after': '0' }).end();
    else if (requests.length === 3) json(LIST)(request, response);
    else response.writeHead(403).end();
  });
  assert.deepEqual(await fetchExchanges(client), LIST);
  await assert.rejects(fetchExchanges(client), { code: 'no_access' });
  assert.equal(requests.length, 4);
});

test('a wait longer than a minute is not waited for', async (t) => {
  const { client, requests } = await start(t, (_, response) =>
    response.writeHead(429, { 'retry-after': '61' }).end(),
  );
  await assert.rejects(fetchExchanges(client), { code: 'rate_limited', retryAfterMs: 61_000 });
  assert.equal(requests.length, 1);
});

test('an abort ends the wait for the next try', async (t) => {
  const breaker = new AbortController();
  const { client } = await start(t, (_, response) => {
    response.writeHead(503, { 'retry-after': '59' }).end(() => setImmediate(() => breaker.abort()));
  });
  await assert.rejects(fetchExchanges(client, { signal: breaker.signal }), { code: 'interrupted' });
});

test('a fresh copy is used without a request, unless asked otherwise', async (t) => {
  const { client, requests, cache } = await start(t, json(RECORD));
  for (let i = 0; i < 3; i++) assert.deepEqual(await fetchExchange(client, 'deribit', { cache }), RECORD);
  assert.equal(requests.length, 1);
  await fetchExchange(client, 'deribit', { cache, fresh: true });
  assert.equal(requests.length, 2);
  assert.equal((await readFile(await cacheFile(cache), 'utf8')).includes('s3cret'), false);
});

test('an old copy is asked after, and is fresh again when unchanged', async (t) => {
  const modified = 'Sun, 06 Nov 1994 08:49:37 GMT';
  const { client, requests, cache } = await start(t, (request, response) => {
    if (request.headers['if-none-match'] === '"v1"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"v1"', 'last-modified': modified }).end(JSON.stringify(RECORD));
  });
  await fetchExchange(client, 'deribit', { cache });
  await age(cache);
  assert.deepEqual(await fetchExchange(client, 'deribit', { cache }), RECORD);
  assert.equal(requests[1]?.headers['if-modified-since'], modified);
  await fetchExchange(client, 'deribit', { cache });
  assert.equal(requests.length, 2);
});

test('an old copy is replaced by what is new', async (t) => {
  const { client, requests, cache } = await start(t, (_, response) =>
    response.end(JSON.stringify({ ...RECORD, name: `n${requests.length}` })),
  );
  await fetchExchange(client, 'deribit', { cache });
  await age(cache);
  assert.equal((await fetchExchange(client, 'deribit', { cache }))['name'], 'n2');
  assert.equal((await fetchExchange(client, 'deribit', { cache }))['name'], 'n2');
});

for (const [title, damage] of [
  ['cut', (text: string) => text.slice(0, -5)],
  ['empty', () => ''],
  ['wrong inside', (text: string) => text.replace('exportedUntil', 'exportedUntjl')],
  ['no cache file', () => 'hello'],
] as const) {
  test(`a copy that is ${title} counts as none`, async (t) => {
    const { client, requests, cache } = await start(t, json(RECORD));
    await fetchExchange(client, 'deribit', { cache });
    const path = await cacheFile(cache);
    await writeFile(path, damage(await readFile(path, 'utf8')));
    assert.deepEqual(await fetchExchange(client, 'deribit', { cache }), RECORD);
    assert.equal(requests.length, 2);
    assert.equal(requests[1]?.headers['if-none-match'], undefined);
  });
}

test('a cache that cannot be written is no obstacle', async (t) => {
  const { client, cache } = await start(t, json(RECORD));
  await writeFile(join(cache, 'file'), '');
  assert.deepEqual(await fetchExchange(client, 'deribit', { cache: join(cache, 'file', 'x') }), RECORD);
});

test('a stale copy does not hide that the service fails', async (t) => {
  const { client, requests, cache } = await start(t, (request, response) => {
    if (requests.length === 1) json(RECORD)(request, response);
    else response.writeHead(403).end();
  });
  await fetchExchange(client, 'deribit', { cache });
  await age(cache);
  await assert.rejects(fetchExchange(client, 'deribit', { cache }), { code: 'no_access' });
});
