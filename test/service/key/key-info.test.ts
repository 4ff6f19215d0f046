import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchKeyInfo } from '../../../src/service/key/key-info.js';
import { clientFor, serve } from '../loopback.js';

test('aborts a response that arrives too slowly', async (t) => {
  const base = await serve(t, (_, response) => {
    response.write('[');
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  });
  const client = clientFor(t, base, { apiKey: 'a-key', stallTimeoutMs: 200 });
  await assert.rejects(fetchKeyInfo(client, { tries: 1 }), {
    code: 'stalled',
    message: /api-key-info: response not complete within 0\.2s/,
  });
});

test('accepts null in optional fields', async (t) => {
  const access = [
    { exchange: 'deribit', accessType: null, from: null, to: null, symbols: null, dataPlan: null },
  ];
  const base = await serve(t, (_, response) => response.end(JSON.stringify(access)));
  assert.deepEqual(await fetchKeyInfo(clientFor(t, base, { apiKey: 'a-key' })), access);
});
