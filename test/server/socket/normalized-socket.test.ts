import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { WebSocket } from 'undici';
import { BUSY, sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { ask, serveHere, withOptions } from '../serving.js';
import { hear } from './connecting.js';

/** Options like those of nautilus_trader: a list, days, and a type that some exchanges lack. */
const OPTIONS = [
  {
    exchange: 'coinbase',
    symbols: ['BTC-USD'],
    dataTypes: ['book_change', 'trade', 'derivative_ticker'],
    from: '2024-03-01',
    to: '2024-03-02',
    withDisconnectMessages: null,
  },
];

test('sends the lines of the HTTP endpoint as frames, from both sources, also to another WebSocket client; of an empty list none', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, { ...BUSY, rows: 3000 });
  const bitmex = { exchange: 'bitmex', dataTypes: ['trade'], from: '2024-03-01', to: '2024-03-01T01:00' };
  for (const [source, options] of [
    ['datasets', OPTIONS],
    ['feeds', bitmex],
  ] as const) {
    const server = await serveHere(t, service, dir, { source });
    const { text } = await ask(server.httpPort, withOptions('/replay-normalized', options));
    const lines = text.split('\n').slice(0, -1);
    assert.ok(lines.length > 100);
    const path = withOptions('/ws-replay-normalized', options);
    assert.deepEqual(await hear(server, path), {
      messages: lines,
      code: 1000,
      reason: 'WS replay-normalized finished',
    });
    const socket = new WebSocket(`ws://localhost:${server.wsPort}${path.replace('?', '/?')}`);
    const messages: unknown[] = [];
    socket.addEventListener('message', ({ data }) => messages.push(data));
    const [{ code }] = await once(socket, 'close');
    assert.deepEqual([code, messages], [1000, lines]);
    assert.equal((await hear(server, withOptions('/ws-replay-normalized', []))).code, 1000);
  }
});

test('refuses a page of another origin before the upgrade', async (t) => {
  const server = await serveHere(t, await sandbox(t), await tempDir(t));
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  for (const headers of [{ origin: 'https://evil.example' }, { host: 'evil.example:8001' }]) {
    const { status, text } = await ask(server.wsPort, '/ws-replay', { headers: { ...upgrade, ...headers } });
    assert.deepEqual([status, /--allow-origin/.test(text)], [403, true]);
  }
});
