import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { isDataType } from '../../../src/day-files/data-types.js';
import type { SandboxExchange } from '../../../src/sandbox/simulation/synthetic-exchanges.js';
import { get, getJson, sandboxFor } from '../helpers.js';

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

test('a record that the client has is answered with 304', async (t) => {
  const { apiUrl } = await sandboxFor(t);
  const { headers } = await get(`${apiUrl}/v1/exchanges/deribit`);
  const etag = String(headers['etag']);
  const again = await get(`${apiUrl}/v1/exchanges/deribit`, { 'if-none-match': etag });
  assert.deepEqual([again.status, again.body.length, again.headers['etag']], [304, 0, etag]);
  assert.equal((await get(`${apiUrl}/v1/exchanges/bitmex`, { 'if-none-match': etag })).status, 200);
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
  await assert.rejects(sandboxFor(t, { port }), { code: 'usage', message: new RegExp(`:${port} `) });
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
