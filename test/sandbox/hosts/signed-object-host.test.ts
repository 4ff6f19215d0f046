import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileUrl, get, sandboxFor } from '../helpers.js';

const FILE = ['kraken', 'trades', '2024/03/01', 'XBT-USD'] as const;

test('with redirect, a 302 leads to another origin with the same bytes', async (t) => {
  const [direct, sandbox] = [await sandboxFor(t), await sandboxFor(t, { redirect: true })];
  const whole = await get(fileUrl(direct, ...FILE));
  const first = await get(fileUrl(sandbox, ...FILE));
  assert.equal(first.status, 302);
  assert.equal(first.headers['x-md5'], whole.headers['x-md5']);
  assert.equal(first.headers['x-dataset-size'], String(whole.body.length));
  const location = new URL(String(first.headers['location']));
  assert.notEqual(location.origin, sandbox.datasetsUrl);
  const second = await get(location.href);
  assert.equal(second.status, 200);
  assert.deepEqual(second.body, whole.body);
  assert.equal(second.headers['accept-ranges'], 'bytes');
  assert.match(String(second.headers['etag']), /^"/);
  assert.deepEqual(
    sandbox.requests.map(({ host, status }) => [host, status]),
    [
      ['datasets', 302],
      ['objects', 200],
    ],
  );
});

test('ranges are served if the validator matches', async (t) => {
  const sandbox = await sandboxFor(t, { redirect: true });
  const location = String((await get(fileUrl(sandbox, ...FILE))).headers['location']);
  const whole = await get(location);
  const size = whole.body.length;
  const etag = String(whole.headers['etag']);
  const range = async (
    header: string,
    ifRange?: string,
  ): Promise<{ status: number; contentRange: unknown; body: Buffer }> => {
    const headers = { range: header, ...(ifRange === undefined ? {} : { 'if-range': ifRange }) };
    const { status, headers: got, body } = await get(location, headers);
    return { status, contentRange: got['content-range'], body };
  };
  assert.deepEqual(await range('bytes=100-', etag), {
    status: 206,
    contentRange: `bytes 100-${size - 1}/${size}`,
    body: whole.body.subarray(100),
  });
  assert.deepEqual(await range('bytes=100-199'), {
    status: 206,
    contentRange: `bytes 100-199/${size}`,
    body: whole.body.subarray(100, 200),
  });
  assert.deepEqual(await range('bytes=-5'), {
    status: 206,
    contentRange: `bytes ${size - 5}-${size - 1}/${size}`,
    body: whole.body.subarray(size - 5),
  });
  const changed = await range('bytes=100-', '"another"');
  assert.deepEqual([changed.status, changed.body.length], [200, size]);
  const pastEnd = await range(`bytes=${size}-`, etag);
  assert.deepEqual([pastEnd.status, pastEnd.contentRange], [416, `bytes */${size}`]);
  assert.deepEqual((await range('lines=1-2')).status, 200);
});

test('an address with another signature or path is rejected', async (t) => {
  const sandbox = await sandboxFor(t, { redirect: true });
  const location = String((await get(fileUrl(sandbox, ...FILE))).headers['location']);
  assert.equal((await get(`${location.slice(0, -1)}x`)).status, 403);
  assert.equal((await get(location.replace('trades', 'quotes'))).status, 403);
  assert.equal((await get(location, {}, { method: 'HEAD' })).status, 403);
});

test('body faults occur at the second origin, error responses at the first', async (t) => {
  const reset = await sandboxFor(t, { redirect: true, faults: { short: 1 }, faultsPerFile: 1 });
  const location = String((await get(fileUrl(reset, ...FILE))).headers['location']);
  const broken = await get(location, { range: 'bytes=100-' });
  assert.deepEqual([broken.status, broken.broken], [206, 'UND_ERR_SOCKET']);
  const limited = await sandboxFor(t, { redirect: true, faults: { 'rate-limit': 1 } });
  assert.equal((await get(fileUrl(limited, ...FILE))).status, 429);
});
