import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { cleanUp } from '../helpers/clean-up.js';
import { connectProxy } from '../helpers/connect-proxy.js';
import { socksProxy } from '../helpers/socks-proxy.js';
import { createMarketSender, loopbackExchange } from './exchange.js';
import { option, startStream } from './streaming.js';

test("connects through the environment's proxy by a tunnel, and reports a refusal", async (t) => {
  const { url } = await loopbackExchange(t, {
    play: (peer) => createMarketSender('bitmex', 'XBTUSD', peer).trade(3),
  });
  const proxy = await connectProxy(t);
  const env = { WSS_URL_BITMEX: url, HTTP_PROXY: proxy.url.replace('http://', 'http://me:pass@') };
  const stream = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], env);
  await stream.waitForLines(1);
  const login = Buffer.from('me:pass').toString('base64');
  assert.deepEqual(proxy.asked, [`CONNECT ${url.replace('ws://', '')} Basic ${login}`]);

  const refusing = await connectProxy(t, 407);
  const refused = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], {
    WSS_URL_BITMEX: url,
    HTTP_PROXY: refusing.url,
  });
  const event = await refused.waitForEvent('disconnect');
  assert.match(event.event === 'disconnect' ? event.error.message : '', /the proxy answered 407/);
});

test('connects through a SOCKS proxy', async (t) => {
  const { url } = await loopbackExchange(t, {
    play: (peer) => createMarketSender('bitmex', 'XBTUSD', peer).trade(3),
  });
  const proxy = await socksProxy(t, { port: Number(new URL(url).port) });
  const env = { WSS_URL_BITMEX: 'ws://bitmex.invalid:9', ALL_PROXY: proxy.url };
  const stream = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], env);
  await stream.waitForLines(1);
  assert.deepEqual(proxy.asked, ['name bitmex.invalid:9']);
});

test('an unanswered handshake has a timeout independent of the silence timeout', async (t) => {
  const deaf = createServer().listen(0, '127.0.0.1');
  cleanUp(t, () => deaf.close());
  await once(deaf, 'listening');
  deaf.on('connection', (socket) => cleanUp(t, () => socket.destroy()));
  const { port } = deaf.address() as AddressInfo;
  const env = { WSS_URL_BITMEX: `ws://127.0.0.1:${port}` };
  const times = { supplementDelayMs: 0, handshakeMs: 5, reconnectDelayMs: () => 0 };
  const stream = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], env, { times });
  const event = await stream.waitForEvent('disconnect');
  assert.match(event.event === 'disconnect' ? event.error.message : '', /cannot be reached: no handshake/);
});

test('wss uses HTTPS_PROXY only; NO_PROXY bypasses it', async (t) => {
  const { url } = await loopbackExchange(t, {
    play: (peer) => createMarketSender('bitmex', 'XBTUSD', peer).trade(3),
  });
  const [secure, plain] = await Promise.all([connectProxy(t), connectProxy(t)]);
  const env = { HTTPS_PROXY: secure.url, HTTP_PROXY: plain.url };
  const options = [option('bitmex', ['XBTUSD'], 'trade')];
  // The exchange has no TLS: only the path to it matters.
  const tunnelled = startStream(t, options, { ...env, WSS_URL_BITMEX: url.replace('ws:', 'wss:') });
  await tunnelled.waitForEvent('disconnect');
  await tunnelled.end();
  assert.equal(secure.asked[0], `CONNECT ${url.replace('ws://', '')}`);
  const asked = secure.asked.length;
  const past = startStream(t, options, { ...env, WSS_URL_BITMEX: url, NO_PROXY: 'example.com,127.0.0.1' });
  await past.waitForLines(1);
  assert.deepEqual([plain.asked.length, secure.asked.length], [0, asked]);
});
