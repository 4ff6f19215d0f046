import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import { discardBody } from '../../../src/http/watched-body.js';
import { sendGet } from '../../../src/service/http/send-request.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { clientFor, serve } from '../loopback.js';

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
