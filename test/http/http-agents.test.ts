import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTunnel } from '../../src/http/http-agents.js';
import { connectProxy } from '../helpers/connect-proxy.js';

test('wss uses HTTPS_PROXY, ws HTTP_PROXY, and both ALL_PROXY', () => {
  const url = new URL('wss://example.com/x');
  const proxy = 'http://127.0.0.1:1';
  assert.equal(createTunnel({ HTTP_PROXY: proxy }, url), undefined);
  assert.equal(createTunnel({ HTTPS_PROXY: proxy, NO_PROXY: 'example.com' }, url), undefined);
  assert.equal(
    createTunnel({ ALL_PROXY: proxy, NO_PROXY: '10.0.0.0/8' }, new URL('ws://10.1.1.1')),
    undefined,
  );
  assert.equal(typeof createTunnel({ HTTPS_PROXY: proxy }, url), 'function');
  assert.equal(typeof createTunnel({ all_proxy: 'socks5h://127.0.0.1:1' }, url), 'function');
  assert.throws(
    () => createTunnel({ ALL_PROXY: 'socks4://secret@127.0.0.1:1' }, url),
    /^TickhaulError: ALL_PROXY: socks4:\/\/ proxies are not supported; use http:\/\/, [^@]*$/,
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
