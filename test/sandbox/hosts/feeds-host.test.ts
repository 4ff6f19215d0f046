import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { tempDir } from '../../helpers/temp.js';
import { replayInProcess } from '../../raw-feeds/replaying.js';
import { type Answer, get, KEY, sandboxFor } from '../helpers.js';

function ask(
  sandbox: Sandbox,
  query: Readonly<Record<string, string>>,
  headers: object = KEY,
): Promise<Answer> {
  const url = `${sandbox.apiUrl}/v1/data-feeds/bitmex?${new URLSearchParams(query)}`;
  return get(url, headers as Record<string, string>);
}

const text = ({ body }: Answer): string => gunzipSync(body).toString();

test('a slice consists of its minutes, however the period is divided, and filters select from it', async (t) => {
  const sandbox = await sandboxFor(t, { rows: 20_000 });
  const ten = await ask(sandbox, { from: '2024-03-02', offset: '55', sliceSize: '10' });
  assert.equal(ten.status, 200);
  assert.equal(ten.headers['content-encoding'], 'gzip');
  assert.equal(ten.headers['x-slice-size'], '10');
  assert.equal(ten.headers['x-suggested-slice-size'], '5');
  assert.equal(ten.headers['x-name'], 'bitmex/2024/03/02/00/55');
  assert.equal(Number(ten.headers['x-ratelimit-remaining']), 2999);
  const single = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      ask(sandbox, { from: '2024-03-02T00:55:00.000Z', offset: String(i) }),
    ),
  );
  assert.equal(single.map(text).join(''), text(ten));
  const lines = text(ten).trimEnd().split('\n');
  assert.ok(lines.length > 200);
  assert.ok(lines.every((line) => /^2024-03-02T0[01]:\d\d:\d\d\.\d{7}Z \{"table":/.test(line)));
  const filters = JSON.stringify([{ channel: 'quote' }, { channel: 'trade', symbols: ['XBTUSD'] }]);
  const some = await ask(sandbox, { from: '2024-03-02', offset: '55', sliceSize: '10', filters });
  const wanted = lines.filter((line) => /"table":"quote"|"table":"trade".*"XBTUSD"/.test(line));
  assert.deepEqual(text(some).trimEnd().split('\n'), wanted);
});

test('invalid requests of the raw data API are rejected', async (t) => {
  const sandbox = await sandboxFor(t, { feeds: { requestLimit: 2 } });
  const from = '2024-03-02';
  const many = JSON.stringify([{ channel: 'trade', symbols: Array.from({ length: 51 }, (_, i) => `s${i}`) }]);
  for (const query of [
    {},
    { from: '2024-03' },
    { from: '2024-13-45' },
    { from: '2024-02-30' },
    { from: '2024-02-30T00:00:00.000Z' },
    { from, sliceSize: '11' },
    { from, offset: '-1' },
    { from, filters: many },
    { from: '2999-01-01' },
  ]) {
    assert.equal((await ask(sandbox, query)).status, 400, JSON.stringify(query));
  }
  assert.equal((await ask(sandbox, { from }, {})).status, 401);
  assert.equal((await ask(sandbox, { from: '2024-03-01' }, {})).status, 200);
  assert.equal((await ask(sandbox, { from })).status, 200);
  const over = await ask(sandbox, { from });
  assert.equal(over.status, 429);
  assert.ok(Number(over.headers['retry-after']) > 0);
});

test('a folder of slices is served unchanged, without day files, in any slice size', async (t) => {
  const source = await sandboxFor(t, { rows: 20_000, feeds: { suggestedMinutes: 7 } });
  const folder = await tempDir(t);
  const right = await replayInProcess(source, folder, { to: 25 });
  const replayDir = await tempDir(t);
  await cp(join(folder, 'feeds'), join(replayDir, 'feeds'), { recursive: true });
  const sandbox = await sandboxFor(t, { replayDir, feeds: { suggestedMinutes: 4 } });
  const again = await replayInProcess(sandbox, await tempDir(t), { to: 25 });
  assert.equal(again.error, undefined);
  assert.ok(again.text === right.text);
  const more = await replayInProcess(sandbox, await tempDir(t), { to: 26 });
  assert.equal(more.error?.code, 'unavailable');
  assert.equal(more.text, right.text);
});
