import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bypassesProxy } from '../../../src/http/proxy-settings.js';
import { createTunnel } from '../../../src/service/http/tunnel.js';
import { connectProxy } from '../../helpers/connect-proxy.js';

const at = (hostname: string, port = 443) => ({ hostname, port });

test('NO_PROXY excepts a host and those below it, a port where it names one, or all', () => {
  const env = { NO_PROXY: 'example.com, .inner.net *.deep.org,host:8443' };
  for (const hostname of ['example.com', 'a.example.com', 'inner.net', 'x.inner.net', 'deep.org']) {
    assert.ok(bypassesProxy(env, at(hostname)), hostname);
  }
  for (const hostname of ['badexample.com', 'example.org', 'host']) {
    assert.ok(!bypassesProxy(env, at(hostname)), hostname);
  }
  assert.ok(bypassesProxy(env, at('host', 8443)));
  assert.ok(bypassesProxy({ no_proxy: '*', NO_PROXY: 'x' }, at('anything')));
  assert.ok(!bypassesProxy({}, at('anything')));
});

test('wss goes by HTTPS_PROXY, ws by HTTP_PROXY; only an http proxy will do', () => {
  const url = new URL('wss://example.com/x');
  assert.equal(createTunnel({ HTTP_PROXY: 'http://127.0.0.1:1' }, url), undefined);
  assert.equal(createTunnel({ HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: 'example.com' }, url), undefined);
  assert.equal(typeof createTunnel({ HTTPS_PROXY: 'http://127.0.0.1:1' }, url), 'function');
  assert.throws(
    () => createTunnel({ HTTPS_PROXY: 'socks5://secret@127.0.0.1:1' }, url),
    /^TickhaulError: HTTPS_PROXY: live streams go through http proxies only; except example\.com in NO_PROXY$/,
  );
});

test('a proxy that refuses is told by the variable that names it', async (t) => {
  const { url } = await connectProxy(t, 407);
  const { signal } = new AbortController();
  for (const [name, address] of [
    ['HTTP_PROXY', 'ws://example.com'],
    ['HTTPS_PROXY', 'wss://example.com'],
  ] as const) {
    const tunnel = createTunnel({ [name]: url }, new URL(address));
    await assert.rejects(
      async () => tunnel?.(signal),
      new RegExp(`the proxy answered 407: .* into ${name}$`),
    );
  }
});
