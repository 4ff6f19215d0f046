import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNoProxy } from '../../src/http/proxy-settings.js';

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
