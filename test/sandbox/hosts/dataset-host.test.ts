import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { cleanUp } from '../../helpers/clean-up.js';
import { tempDir } from '../../helpers/temp.js';
import { fileUrl, get, KEY, parseCells, sandboxFor } from '../helpers.js';

const errorOf = (body: Buffer): { code: number; message: string } => JSON.parse(body.toString());

test('the first day of a month is free, other days need the key', async (t) => {
  const sandbox = await sandboxFor(t);
  const first = fileUrl(sandbox, 'coinbase', 'trades', '2024/03/01', 'BTC-USD');
  const second = fileUrl(sandbox, 'coinbase', 'trades', '2024/03/02', 'BTC-USD');
  assert.equal((await get(first)).status, 200);
  const refused = await get(second);
  assert.deepEqual([refused.status, errorOf(refused.body).code], [401, 11]);
  const wrongKey = await get(second, { authorization: 'Bearer sandbox-kez' });
  assert.deepEqual([wrongKey.status, errorOf(wrongKey.body).code], [401, 11]);
  assert.equal((await get(second, KEY)).status, 200);
  assert.deepEqual(
    sandbox.requests.map(({ host, authorization, status }) => [host, authorization, status]),
    [
      ['datasets', false, 200],
      ['datasets', false, 401],
      ['datasets', true, 401],
      ['datasets', true, 200],
    ],
  );
  assert.ok(!JSON.stringify(sandbox.requests).includes('sandbox-ke'));
});

test('headers have the size and the MD5 of the bytes; ranges are ignored', async (t) => {
  const sandbox = await sandboxFor(t);
  const url = fileUrl(sandbox, 'kraken', 'trades', '2024/03/01', 'XBT-USD');
  const { status, headers, body } = await get(url, { range: 'bytes=10-' });
  assert.equal(status, 200);
  assert.equal(headers['content-length'], String(body.length));
  assert.equal(headers['x-dataset-size'], String(body.length));
  assert.equal(headers['x-md5'], `"${createHash('md5').update(body).digest('hex')}"`);
  assert.equal(headers['etag'], undefined);
  assert.equal(headers['accept-ranges'], undefined);
  assert.equal(parseCells(body).length, 201);
});

test('only files that the records list exist', async (t) => {
  const sandbox = await sandboxFor(t);
  const code = async (exchange: string, type: string, day: string, symbol: string): Promise<unknown> => {
    const { status, body } = await get(fileUrl(sandbox, exchange, type, day, symbol), KEY);
    return status === 200 ? 200 : [status, errorOf(body).code];
  };
  assert.deepEqual(await code('coinbase', 'trades', '2024/03/01', 'NO-SUCH'), [400, 300]);
  assert.deepEqual(await code('coinbase', 'liquidations', '2024/03/01', 'BTC-USD'), [400, 300]);
  assert.deepEqual(await code('nowhere', 'trades', '2024/03/01', 'BTC-USD'), [400, 300]);
  assert.deepEqual(await code('star-atlas', 'trades', '2024/03/01', 'ATLAS-USDC'), [400, 300]);
  assert.deepEqual(await code('coinbase', 'trades', '2024/03/10', 'BTC-USD'), [400, 140]);
  assert.deepEqual(await code('coinbase', 'trades', '2019/03/29', 'BTC-USD'), [400, 140]);
  assert.equal(await code('coinbase', 'trades', '2024/03/09', 'BTC-USD'), 200);
  // Delisted at 08:00, the day is available; delisted at midnight, it is not.
  assert.equal(await code('binance-futures', 'trades', '2021/03/26', 'BTCUSDT_210326'), 200);
  assert.deepEqual(await code('binance-futures', 'trades', '2022/05/13', 'LUNAUSDT'), [400, 140]);
  assert.deepEqual(await code('binance-futures', 'trades', '2024/03/06', 'NEWUSDT'), [400, 140]);
  assert.equal(await code('binance-futures', 'trades', '2024/03/07', 'NEWUSDT'), 200);
});

test('HEAD, impossible days and other paths are not found', async (t) => {
  const sandbox = await sandboxFor(t);
  const url = fileUrl(sandbox, 'coinbase', 'trades', '2024/03/01', 'BTC-USD');
  assert.equal((await get(url, {}, { method: 'HEAD' })).status, 404);
  assert.equal((await get(url.replace('03/01', '02/30'))).status, 404);
  assert.equal((await get(url.replace('BTC-USD', '%ff'))).status, 404);
  assert.equal((await get(`${sandbox.datasetsUrl}/`)).status, 404);
});

test('a symbol without trades has an empty gzip file', async (t) => {
  const sandbox = await sandboxFor(t);
  const url = fileUrl(sandbox, 'binance-futures', 'trades', '2024/03/01', 'QUIETUSDT');
  const { status, body } = await get(url);
  assert.deepEqual([status, body.length > 0, gunzipSync(body).length], [200, true, 0]);
});

test('a large file is in a temporary folder, which close removes', async (t) => {
  // Other tests create and remove temporary folders meanwhile.
  const temporary = await tempDir(t);
  const before = process.env['TMPDIR'];
  cleanUp(t, () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  process.env['TMPDIR'] = temporary;
  const sandbox = await sandboxFor(t, { rows: 60_000 });
  const url = fileUrl(sandbox, 'deribit', 'trades', '2024/03/01', 'BTC-PERPETUAL');
  const [first, second] = await Promise.all([get(url), get(url)]);
  assert.ok(first && second);
  assert.equal(parseCells(first.body).length, 60_001);
  assert.deepEqual(first.body, second.body);
  assert.equal(first.headers['x-md5'], `"${createHash('md5').update(first.body).digest('hex')}"`);
  const [own = '', ...others] = readdirSync(temporary);
  assert.deepEqual([own.startsWith('tickhaul-sandbox-'), others], [true, []]);
  assert.equal(readdirSync(join(temporary, own)).length, 1);
  await sandbox.close();
  assert.equal(await get(url).catch(({ code }) => code), 'ECONNREFUSED');
  assert.deepEqual(readdirSync(temporary), []);
});

test('a rate and a latency change the timing of the bytes, not the bytes', async (t) => {
  const plain = await sandboxFor(t);
  const slow = await sandboxFor(t, { rate: 200_000, latencyMs: 5 });
  const path = ['kraken', 'trades', '2024/03/01', 'XBT-USD'] as const;
  const [fast, paced] = await Promise.all([get(fileUrl(plain, ...path)), get(fileUrl(slow, ...path))]);
  assert.ok(fast.body.length > 1000);
  assert.deepEqual(paced.body, fast.body);
});
