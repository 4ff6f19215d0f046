import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createProxyAuthorization,
  describeIgnoredEntries,
  findProxy,
  parseNoProxy,
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

/** Entries, with addresses that they exclude from the proxy and others that they do not. */
const FORMS: readonly [noProxy: string, direct: readonly string[], proxied: readonly string[]][] = [
  ['', [], ['http://a.example', 'http://127.0.0.1', 'http://[::1]']],
  ['*', ['http://a.example', 'https://10.0.0.1', 'http://[::1]:8000'], []],
  ['other.example, *', ['http://a.example'], []],
  ['*:8080', ['http://a.example:8080'], ['http://a.example']],
  [
    'example.com',
    ['http://example.com', 'https://a.b.example.com:1'],
    ['http://badexample.com', 'http://com'],
  ],
  ['EXAMPLE.com', ['http://example.COM', 'http://A.example.com'], []],
  ['.example.com', ['http://example.com', 'http://a.example.com'], ['http://badexample.com']],
  ['*.example.com', ['http://example.com', 'http://a.example.com'], ['http://badexample.com']],
  ['example.com.', ['http://example.com', 'http://a.example.com.'], ['http://example.org']],
  ['example.com', ['http://example.com.'], []],
  ['localhost', ['http://localhost:9000', 'http://a.localhost'], ['http://127.0.0.1', 'http://[::1]']],
  ['my_host', ['http://my_host'], []],
  ['café.example', ['http://café.example', 'http://xn--caf-dma.example'], []],
  ['host:8443', ['https://host:8443', 'https://a.host:8443'], ['https://host', 'http://host']],
  ['host:443 host:80', ['https://host', 'http://host'], ['http://host:81']],
  ['10.0.0.1', ['http://10.0.0.1', 'http://10.0.0.1:9', 'http://[::ffff:10.0.0.1]'], ['http://10.0.0.2']],
  ['10.0.0.1:9', ['http://10.0.0.1:9'], ['http://10.0.0.1']],
  ['10.0.0.0/8', ['http://10.0.0.1', 'https://10.255.255.255:1'], ['http://11.0.0.0', 'http://10.example']],
  ['10.1.2.3/8', ['http://10.9.9.9'], ['http://9.9.9.9']],
  ['192.168.1.128/25', ['http://192.168.1.128'], ['http://192.168.1.127']],
  ['10.0.0.0/8:8080', ['http://10.0.0.1:8080'], ['http://10.0.0.1']],
  ['127.0.0.1/32', ['http://127.0.0.1', 'http://127.1'], ['http://127.0.0.2']],
  ['0.0.0.0/0', ['http://8.8.8.8'], ['http://a.example', 'http://[2001:db8::1]']],
  [
    '::1',
    ['http://[::1]', 'http://[::1]:8000', 'http://[0:0:0:0:0:0:0:1]'],
    ['http://[::2]', 'http://1.1.1.1'],
  ],
  ['0:0:0:0:0:0:0:1', ['http://[::1]'], []],
  ['[::1]', ['http://[::1]', 'http://[::1]:8000'], ['http://[::2]']],
  ['[::1]:8000', ['http://[::1]:8000'], ['http://[::1]', 'http://[::1]:8001']],
  ['fd00::/8', ['http://[fd12:3456::1]'], ['http://[fe80::1]', 'http://a.example']],
  ['FD00::/8', ['http://[fd12::1]'], []],
  ['[fd00::]/8', ['http://[fd12::1]'], ['http://[fe80::1]']],
  ['[fd00::]/8:81', ['http://[fd12::1]:81'], ['http://[fd12::1]']],
  [
    ' ,a.example,,\tb.example  c.example,\n10.0.0.0/8 ,',
    ['http://a.example', 'http://b.example', 'http://c.example', 'http://10.0.0.1'],
    ['http://d.example'],
  ],
];

const matches = (noProxy: string, address: string): boolean => {
  const { hostname, port, protocol } = new URL(address);
  return parseNoProxy(noProxy).matches(hostname, Number(port) || (protocol === 'https:' ? 443 : 80));
};

for (const [noProxy, direct, proxied] of FORMS) {
  test(`NO_PROXY=${JSON.stringify(noProxy)} selects the addresses that need no proxy`, () => {
    assert.deepEqual(parseNoProxy(noProxy).ignored, []);
    for (const address of direct) assert.ok(matches(noProxy, address), address);
    for (const address of proxied) assert.ok(!matches(noProxy, address), address);
  });
}

const UNSUPPORTED = [
  '10.*',
  '10.',
  '192.168',
  '10.0.0.0/33',
  '10.0.0.0/255.0.0.0',
  '10.0.0.1-10.0.0.9',
  'fd00::/129',
  '[10.0.0.1]',
  '[::1',
  'a*.example',
  'a..example',
  '<local>',
  'http://host',
  'a;b',
  '.',
];
for (const entry of UNSUPPORTED) {
  test(`NO_PROXY has no use for ${entry}, and reports it`, () => {
    const { ignored, matches: isDirect } = parseNoProxy(`${entry},ok.example`);
    assert.deepEqual(ignored, [entry]);
    assert.ok(isDirect('ok.example', 80) && !isDirect('10.0.0.1', 80) && !isDirect('a', 80));
  });
}

test('reports no password and no control characters of an entry', () => {
  const [entry] = parseNoProxy('http://me:s3cret@\u001bhost').ignored;
  assert.equal(entry, 'http://…@\ufffdhost');
});
