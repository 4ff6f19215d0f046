import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { isDataType } from '../../../src/day-files/data-types.js';
import type { SandboxExchange } from '../../../src/sandbox/simulation/synthetic-exchanges.js';
import { get, getJson, KEY, sandboxFor } from '../helpers.js';

test('the list has short records, each of which is available in full', async (t) => {
  const { apiUrl } = await sandboxFor(t);
  const list = await getJson<SandboxExchange[]>(`${apiUrl}/v1/exchanges`);
  assert.ok(list.length >= 6);
  for (const short of list) {
    assert.equal(short.datasets, undefined);
    const record = await getJson<SandboxExchange>(`${apiUrl}/v1/exchanges/${short.id}`);
    assert.equal(record.id, short.id);
    assert.equal(record.datasets !== undefined, short.supportsDatasets);
    for (const { id, dataTypes, availableSince, availableTo } of record.datasets?.symbols ?? []) {
      assert.ok(dataTypes.length > 0 && dataTypes.every(isDataType), id);
      assert.ok(availableTo === undefined || availableSince < availableTo, id);
    }
  }
  assert.ok(list.some(({ delisted }) => delisted));
  assert.ok(list.some(({ supportsDatasets }) => !supportsDatasets));
});

test('all nine data types are offered, and the export ends on the configured day', async (t) => {
  const { apiUrl } = await sandboxFor(t);
  const records = await Promise.all(
    ['binance-futures', 'deribit'].map((id) => getJson<SandboxExchange>(`${apiUrl}/v1/exchanges/${id}`)),
  );
  const types = records.flatMap(
    ({ datasets }) => datasets?.symbols.flatMap(({ dataTypes }) => dataTypes) ?? [],
  );
  assert.equal(new Set(types).size, 9);
  for (const { datasets } of records) assert.equal(datasets?.exportedUntil, '2024-03-10T00:00:00.000Z');
});

test('a record that the client has is answered with 304', async (t) => {
  const { apiUrl } = await sandboxFor(t);
  const { headers } = await get(`${apiUrl}/v1/exchanges/deribit`);
  const etag = String(headers['etag']);
  const again = await get(`${apiUrl}/v1/exchanges/deribit`, { 'if-none-match': etag });
  assert.deepEqual([again.status, again.body.length, again.headers['etag']], [304, 0, etag]);
  assert.equal((await get(`${apiUrl}/v1/exchanges/bitmex`, { 'if-none-match': etag })).status, 200);
});

test('unknown exchanges and paths are 404 with a JSON body', async (t) => {
  const { apiUrl } = await sandboxFor(t);
  for (const path of ['/v1/exchanges/binanse', '/v1/nothing']) {
    const { status, body } = await get(apiUrl + path);
    assert.equal(status, 404);
    assert.match((JSON.parse(body.toString()) as { message: string }).message, /binanse|nothing/);
  }
});

test('the key check returns what the key covers, and rejects others', async (t) => {
  const { apiUrl } = await sandboxFor(t);
  const access = await getJson<{ exchange: string; to: string }[]>(`${apiUrl}/v1/api-key-info`, KEY);
  assert.ok(access.some(({ exchange }) => exchange === 'deribit'));
  assert.equal((await get(`${apiUrl}/v1/api-key-info`)).status, 401);
  assert.equal((await get(`${apiUrl}/v1/api-key-info`, { authorization: 'Bearer x' })).status, 401);
});

test('not-json affects the metadata host only', async (t) => {
  const sandbox = await sandboxFor(t, { faults: { 'not-json': 1 } });
  const { status, body } = await get(`${sandbox.apiUrl}/v1/exchanges`);
  assert.equal(status, 200);
  assert.throws(() => JSON.parse(body.toString()), SyntaxError);
  const file = `${sandbox.datasetsUrl}/v1/kraken/trades/2024/03/01/XBT-USD.csv.gz`;
  assert.equal((await get(file)).headers['content-type'], 'application/gzip');
});

test('a used port is a usage error that names it', async (t) => {
  const { apiUrl } = await sandboxFor(t);
  const port = Number(new URL(apiUrl).port);
  await assert.rejects(sandboxFor(t, { port }), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'usage');
    assert.match(error.message, new RegExp(`:${port} `));
    return true;
  });
});

test('an address that cannot be parsed or decoded is answered, and the service runs on', async (t) => {
  const { apiUrl } = await sandboxFor(t);
  const { port } = new URL(apiUrl);
  for (const path of ['//[', '/v1/instruments/bitmex/%ff']) {
    const [answer] = (await once(request({ host: '127.0.0.1', port, path }).end(), 'response')) as [
      IncomingMessage,
    ];
    answer.resume();
    assert.equal(answer.statusCode, 500, path);
  }
  assert.equal((await get(`${apiUrl}/v1/exchanges`)).status, 200);
});
