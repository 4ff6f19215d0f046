import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { parseDay } from '../../../src/day-files/day.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js';
import type { SandboxExchange } from '../../../src/sandbox/simulation/synthetic-exchanges.js';
import { startSandbox } from '../../../src/sandbox/start-sandbox.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { tempDir } from '../../helpers/temp.js';
import { fileUrl, get, getJson, KEY } from '../helpers.js';

async function folderWith(t: TestContext, files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await tempDir(t);
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

async function replay(t: TestContext, options: SandboxOptions): ReturnType<typeof startSandbox> {
  const sandbox = await startSandbox(options);
  cleanUp(t, () => sandbox.close());
  return sandbox;
}

test('a folder is listed and served under its day file names', async (t) => {
  const zipped = gzipSync('exchange,symbol\nx,y\n');
  const replayDir = await folderWith(t, {
    'binance-futures_book_snapshot_25_2020-09-01_BTCUSDT.csv': 'a,b\n1,2\n',
    'binance-futures_trades_2020-09-03_BTCUSDT.csv.gz': zipped,
    'deribit_trades_2020-09-01_ÉTH_USDC.csv': 'a\n1\n',
    'notes.txt': 'not a day file',
  });
  const sandbox = await replay(t, { replayDir });
  const ids = await getJson<SandboxExchange[]>(`${sandbox.apiUrl}/v1/exchanges`);
  assert.deepEqual(ids.map(({ id }) => id).sort(), ['binance-futures', 'deribit']);
  const { datasets } = await getJson<SandboxExchange>(`${sandbox.apiUrl}/v1/exchanges/binance-futures`);
  assert.equal(datasets?.exportedFrom, '2020-09-01T00:00:00.000Z');
  assert.equal(datasets?.exportedUntil, '2020-09-04T00:00:00.000Z');
  assert.deepEqual(
    datasets?.symbols.map(({ id, dataTypes }) => [id, [...dataTypes].sort()]),
    [['BTCUSDT', ['book_snapshot_25', 'trades']]],
  );
  const plain = await get(fileUrl(sandbox, 'binance-futures', 'book_snapshot_25', '2020/09/01', 'BTCUSDT'));
  assert.equal(gunzipSync(plain.body).toString(), 'a,b\n1,2\n');
  const ready = await get(fileUrl(sandbox, 'binance-futures', 'trades', '2020/09/03', 'BTCUSDT'), KEY);
  assert.deepEqual(ready.body, zipped);
  assert.equal(ready.headers['x-md5'], `"${createHash('md5').update(zipped).digest('hex')}"`);
  const odd = await get(fileUrl(sandbox, 'deribit', 'trades', '2020/09/01', 'ÉTH_USDC'));
  assert.equal(gunzipSync(odd.body).toString(), 'a\n1\n');
  const hole = await get(fileUrl(sandbox, 'binance-futures', 'trades', '2020/09/02', 'BTCUSDT'), KEY);
  assert.deepEqual([hole.status, JSON.parse(hole.body.toString()).code], [400, 140]);
});

test('exportedUntil, if set, is in the records and hides later days', async (t) => {
  const replayDir = await folderWith(t, {
    'ftx_trades_2020-09-01_BTC-PERP.csv': 'a\n',
    'ftx_trades_2020-10-01_BTC-PERP.csv': 'a\n',
  });
  const sandbox = await replay(t, { replayDir, exportedUntil: parseDay('2020-09-05') });
  const { datasets } = await getJson<SandboxExchange>(`${sandbox.apiUrl}/v1/exchanges/ftx`);
  assert.equal(datasets?.exportedUntil, '2020-09-05T00:00:00.000Z');
  assert.equal((await get(fileUrl(sandbox, 'ftx', 'trades', '2020/10/01', 'BTC-PERP'))).status, 400);
});

test('a missing folder, or one without day files, is a usage error', async (t) => {
  const empty = await folderWith(t, { 'readme.csv': 'a\n' });
  await assert.rejects(startSandbox({ replayDir: empty }), { code: 'usage', message: /holds no day file/ });
  const missing = join(empty, 'missing');
  await assert.rejects(startSandbox({ replayDir: missing }), { code: 'usage', message: /missing.*ENOENT/ });
});
