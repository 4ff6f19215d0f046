import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bypassesProxy } from '../../../src/http/proxy-settings.js';
import { createTunnel } from '../../../src/service/http/tunnel.js';
import { connectProxy } from '../../helpers/connect-proxy.js';

const at = (hostname: string, port = 443) => ({ hostname, port });

test('NO_PROXY excludes a host with its subdomains, a host with a port, or all hosts', () => {
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

test('wss uses HTTPS_PROXY and ws uses HTTP_PROXY; only http proxies are supported', () => {
  const url = new URL('wss://example.com/x');
  assert.equal(createTunnel({ HTTP_PROXY: 'http://127.0.0.1:1' }, url), undefined);
  assert.equal(createTunnel({ HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: 'example.com' }, url), undefined);
  assert.equal(typeof createTunnel({ HTTPS_PROXY: 'http://127.0.0.1:1' }, url), 'function');
  assert.throws(
    () => createTunnel({ HTTPS_PROXY: 'socks5://secret@127.0.0.1:1' }, url),
    /^TickhaulError: HTTPS_PROXY: live streams support http proxies only; add example\.com to NO_PROXY$/,
  );
});

test('the error of a refusing proxy names its environment variable', async (t) => {
  const { url } = await connectProxy(t, 407);
  const { signal } = new AbortController();
  for (const [name, address] of [
    ['HTTP_PROXY', 'ws://example.com'],
    ['HTTPS_PROXY', 'wss://example.com'],
  ] as const) {
    const tunnel = createTunnel({ [name]: url }, new URL(address));
    await assert.rejects(
      async () => tunnel?.(signal),
      new RegExp(`the proxy answered 407; add user and password to ${name}$`),
    );
  }
});
