import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import { discardBody } from '../../src/http/watched-body.js';
import { sendGet } from '../../src/service/send-request.js';
import { createServiceClient, type ServiceConfig } from '../../src/service/service-client.js';
import { cleanUp } from '../helpers/clean-up.js';
import { clientFor, serve } from './loopback.js';

test('requestsStarted resolves after the requests so far were sent', async (t) => {
  const base = await serve(t, (_, response) => void response.end('here'));
  const sent: unknown[] = [];
  const onSend = (message: unknown): void => {
    const { origin, path } = (message as { request: { origin: string; path: string } }).request;
    if (origin === base) sent.push(path);
  };
  subscribe('undici:client:sendHeaders', onSend);
  cleanUp(t, () => void unsubscribe('undici:client:sendHeaders', onSend));
  const client = clientFor(t, base);
  const responses = ['/a', '/b'].map((path) => sendGet(client, base + path, {}, undefined));
  assert.deepEqual(sent, []);
  await client.requestsStarted();
  assert.deepEqual(sent.sort(), ['/a', '/b']);
  for (const { body } of await Promise.all(responses)) await discardBody(body);
});

test('requestsStarted resolves at once without a request', async (t) => {
  const base = await serve(t, (_, response) => void response.end());
  const first = await Promise.race([
    clientFor(t, base)
      .requestsStarted()
      .then(() => 'started'),
    new Promise((resolve) => setImmediate(resolve, 'later')),
  ]);
  assert.equal(first, 'started');
});

/** Addresses, and whether a key may be sent to them. */
const ADDRESSES: readonly (readonly [string, boolean])[] = [
  ['https://api.example.com', true],
  ['http://localhost:8000', true],
  ['http://127.0.0.1:8000', true],
  ['http://127.1.2.3', true],
  ['http://[::1]:8000', true],
  ['http://api.example.com', false],
  ['HTTP://api.example.com', false],
  ['http://10.0.0.1', false],
  ['http://0.0.0.0:8000', false],
  ['http://[::2]', false],
  ['http://127.0.0.1.example.com', false],
  ['http://localhost.example.com', false],
];

test('a key goes to other machines over https only, unless plain http is allowed', () => {
  const safe = 'https://api.example.com';
  for (const [address, isSafe] of ADDRESSES) {
    for (const urls of [
      { apiUrl: address, datasetsUrl: safe },
      { apiUrl: safe, datasetsUrl: address },
    ]) {
      const create = (more: Partial<ServiceConfig>): unknown =>
        createServiceClient({ ...urls, stallTimeoutMs: 1000, env: {}, ...more });
      create({});
      create({ apiKey: 'TD.key', allowHttp: true });
      if (isSafe) create({ apiKey: 'TD.key' });
      else
        assert.throws(() => create({ apiKey: 'TD.key' }), {
          code: 'usage',
          message: /over plain http.*--allow-http/,
        });
    }
  }
});
