import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createProxyAuthorization,
  describeIgnoredEntries,
  findProxy,
  readProxySettings,
} from '../../src/http/proxy-settings.js';

type Env = Readonly<Record<string, string>>;

const proxyFor = (env: Env, address: string): string | undefined => {
  const proxy = findProxy(readProxySettings(env), new URL(address));
  return proxy && `${proxy.variable} ${proxy.url.protocol}//${proxy.url.host}`;
};

/** Environments, with the proxy of plain and of encrypted addresses. */
const VARIABLES: readonly [env: Env, plain: string | undefined, secure: string | undefined][] = [
  [{}, undefined, undefined],
  [{ HTTP_PROXY: 'http://p:1' }, 'HTTP_PROXY http://p:1', undefined],
  [{ http_proxy: 'http://p:1' }, 'http_proxy http://p:1', undefined],
  [{ https_proxy: 'p:1' }, undefined, 'https_proxy http://p:1'],
  [{ HTTP_PROXY: 'http://upper:1', http_proxy: 'http://lower:1' }, 'http_proxy http://lower:1', undefined],
  [{ HTTP_PROXY: 'http://upper:1', http_proxy: '' }, 'HTTP_PROXY http://upper:1', undefined],
  [{ ALL_PROXY: 'http://p:1' }, 'ALL_PROXY http://p:1', 'ALL_PROXY http://p:1'],
  [{ all_proxy: ' socks5h://p:1 ' }, 'all_proxy socks5h://p:1', 'all_proxy socks5h://p:1'],
  [{ ALL_PROXY: 'x://bad', all_proxy: 'socks5://p:1' }, 'all_proxy socks5://p:1', 'all_proxy socks5://p:1'],
  [
    { ALL_PROXY: 'http://all:1', HTTPS_PROXY: 'https://p:1' },
    'ALL_PROXY http://all:1',
    'HTTPS_PROXY https://p:1',
  ],
  [
    { ALL_PROXY: 'socks4://unused', HTTP_PROXY: 'socks://p', HTTPS_PROXY: 'http://[::1]:1' },
    'HTTP_PROXY socks://p',
    'HTTPS_PROXY http://[::1]:1',
  ],
  [{ ALL_PROXY: 'http://p:1', NO_PROXY: 'a.example' }, undefined, undefined],
  [{ ALL_PROXY: 'http://p:1', no_proxy: 'a.example', NO_PROXY: 'x' }, undefined, undefined],
  [{ ALL_PROXY: 'http://p:1', no_proxy: 'x', NO_PROXY: '*' }, 'ALL_PROXY http://p:1', 'ALL_PROXY http://p:1'],
  [{ ALL_PROXY: 'http://p:1', no_proxy: ' ', NO_PROXY: '*' }, undefined, undefined],
  [{ ALL_PROXY: 'http://p:1', NO_PROXY: 'a.example:443' }, 'ALL_PROXY http://p:1', undefined],
];
for (const [env, plain, secure] of VARIABLES) {
  test(`${JSON.stringify(env)} selects the proxy`, () => {
    for (const scheme of ['http', 'ws']) assert.equal(proxyFor(env, `${scheme}://a.example/x`), plain);
    for (const scheme of ['https', 'wss']) assert.equal(proxyFor(env, `${scheme}://a.example/x`), secure);
  });
}

for (const [env, message] of [
  [{ ALL_PROXY: 'socks4://me:s3cret@p:1' }, /^ALL_PROXY: socks4:\/\/ proxies are not supported; use http:/],
  [{ https_proxy: 'socks4a://s3cret@p:1' }, /^https_proxy: socks4a:\/\/ proxies are not supported/],
  [{ HTTP_PROXY: 'ftp://s3cret@p' }, /^HTTP_PROXY: ftp:\/\/ proxies are not supported/],
  [{ HTTP_PROXY: 'http://s3cret@[' }, /^HTTP_PROXY is not a proxy's URL; use the form http:\/\/host:port$/],
  [{ HTTP_PROXY: 's3cret:3128:x' }, /^HTTP_PROXY is not a proxy's URL/],
  [{ all_proxy: 'socks5://' }, /^all_proxy is not a proxy's URL/],
] as const) {
  test(`refuses ${JSON.stringify(env)} without its value`, () => {
    assert.throws(
      () => readProxySettings(env),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'usage');
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      },
    );
  });
}

test('reports entries of NO_PROXY without effect, if there is a proxy', () => {
  assert.equal(
    describeIgnoredEntries({ ALL_PROXY: 'http://p', no_proxy: 'a,10.*,b*' }),
    'no_proxy: ignoring "10.*" and 1 more: no name, address or network; use forms such as .example.com, 10.0.0.0/8 or [::1]:8080',
  );
  assert.equal(describeIgnoredEntries({ ALL_PROXY: 'http://p', no_proxy: 'a,10.0.0.0/8' }), undefined);
  assert.equal(describeIgnoredEntries({ no_proxy: '10.*' }), undefined);
});

for (const [login, expected] of [
  ['', undefined],
  ['me@', 'me:'],
  ['me:p%40ss@', 'me:p@ss'],
  ['me:50%off%zz@', 'me:50%off%zz'],
  ['caf%C3%A9:%E2%82%AC@', 'café:€'],
] as const) {
  test(`the login of http://${login}proxy is ${expected}`, () => {
    const { http } = readProxySettings({ HTTP_PROXY: `http://${login}proxy` });
    assert.ok(http);
    const sent = createProxyAuthorization(http)?.replace('Basic ', '');
    assert.equal(sent && Buffer.from(sent, 'base64').toString(), expected);
  });
}
