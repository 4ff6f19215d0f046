import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { readBody } from '../../src/http/watched-body.js';
import { sendGet } from '../../src/service/send-request.js';
import { cleanUp } from '../helpers/clean-up.js';
import { freePort } from '../helpers/free-port.js';
import { type SocksOptions, socksProxy } from '../helpers/socks-proxy.js';
import { clientFor, serve } from '../service/loopback.js';

/** Requests an address through a SOCKS proxy whose tunnels all lead to one server. */
async function request(
  t: TestContext,
  address: string,
  options: SocksOptions & { scheme?: string; at?: string } = {},
) {
  const { scheme = 'socks5h', at = '', ...proxyOptions } = options;
  const origin = await serve(t, (incoming, response) => response.end(`hello ${incoming.headers.host}`));
  const proxy = await socksProxy(t, { port: Number(new URL(origin).port), ...proxyOptions });
  const ALL_PROXY = proxy.url.replace('socks5h://', `${scheme}://${at}`);
  const client = clientFor(t, 'http://unused.example', { env: { ALL_PROXY } });
  const answer = sendGet(client, address, {}, undefined).then(async ({ body }) =>
    String(await readBody(body)),
  );
  return { answer, asked: proxy.asked };
}

for (const [scheme, address, target] of [
  ['socks5h', 'http://data.invalid/x', 'name data.invalid:80'],
  ['socks', 'http://data.invalid:81/x', 'name data.invalid:81'],
  ['socks5h', 'http://10.1.2.3:8080/', 'ipv4 10.1.2.3:8080'],
  ['socks5', 'http://10.1.2.3:65535/', 'ipv4 10.1.2.3:65535'],
  ['socks5h', 'http://[2001:db8::a:1]/', 'ipv6 2001:0db8:0000:0000:0000:0000:000a:0001:80'],
  ['socks5', 'http://[::1]:443/', 'ipv6 0000:0000:0000:0000:0000:0000:0000:0001:443'],
] as const) {
  test(`a ${scheme} proxy is asked for ${target}`, async (t) => {
    const { answer, asked } = await request(t, address, { scheme });
    assert.equal(await answer, `hello ${new URL(address).host}`);
    assert.deepEqual(asked, [target]);
  });
}

test('with socks5 this machine resolves the name', async (t) => {
  const { answer, asked } = await request(t, 'http://localhost:8080/', { scheme: 'socks5' });
  assert.equal(await answer, 'hello localhost:8080');
  assert.match(asked.join(), /^(ipv4 127\.0\.0\.1|ipv6 (0000:){7}0001):8080$/);
  // Too long for a host name, so that no DNS server is asked.
  const name = `${'a'.repeat(64)}.invalid`;
  const unknown = await request(t, `http://${name}/`, { scheme: 'socks5' });
  await assert.rejects(unknown.answer, {
    code: 'unreachable',
    message: /the name a+\.invalid cannot be resolved/,
  });
  assert.deepEqual(unknown.asked, []);
});

test('with socks5 the next address of a name is tried if the proxy cannot reach one', async (t) => {
  let isFirst = true;
  const reply = (): number => {
    const code = isFirst ? 4 : 0;
    isFirst = false;
    return code;
  };
  const { answer, asked } = await request(t, 'http://localhost:8080/', { scheme: 'socks5', reply });
  const result = await answer.catch((error: Error) => error.message);
  // A machine may have one address for this name only.
  assert.match(result, asked.length === 2 ? /^hello/ : /the proxy has no route to the host/);
  assert.equal(new Set(asked).size, asked.length);
});

test('sends user and password if the proxy requires them', async (t) => {
  const login = 'mé:p@ss';
  const good = await request(t, 'http://a.invalid/', { login, at: 'm%C3%A9:p%40ss@' });
  assert.equal(await good.answer, 'hello a.invalid');
  assert.deepEqual(good.asked, [`login ${login}`, 'name a.invalid:80']);
  for (const [at, message] of [
    ['me:s3cret@', /the proxy does not accept the user and password; check ALL_PROXY and NO_PROXY$/],
    ['', /the proxy requires a user and password; check ALL_PROXY/],
  ] as const) {
    const bad = await request(t, 'http://a.invalid/', { login, at });
    await assert.rejects(bad.answer, (error: Error & { code?: string }) => {
      assert.equal(error.code, 'unreachable');
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /s3cret/);
      return true;
    });
  }
});

for (const [code, message] of [
  [1, /^a\.invalid cannot be reached: the proxy failed; check ALL_PROXY/],
  [2, /the proxy does not allow the connection/],
  [5, /the proxy says that the host refused the connection/],
  [99, /the proxy answered with the unknown code 99/],
] as const) {
  test(`reply ${code} of a proxy is unreachable`, async (t) => {
    const { answer, asked } = await request(t, 'http://a.invalid/', { reply: () => code });
    await assert.rejects(answer, { code: 'unreachable', message });
    assert.equal(asked.length, 1);
  });
}

test('a proxy that is none, or that closes the connection, is unreachable', async (t) => {
  const answers: readonly [string | undefined, RegExp][] = [
    ['HTTP/1.1 400 Bad Request\r\n\r\n', /the proxy is no SOCKS5 proxy/],
    ['\u0005', /the proxy closed the connection/],
    [undefined, /the proxy closed the connection/],
  ];
  for (const [text, message] of answers) {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(text ?? ''));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanUp(t, () => server.close());
    const ALL_PROXY = `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = clientFor(t, 'http://a.invalid', { env: { ALL_PROXY } });
    await assert.rejects(sendGet(client, 'http://10.0.0.1/', {}, undefined), {
      code: 'unreachable',
      message,
    });
  }
  const port = await freePort();
  const client = clientFor(t, 'http://a.invalid', { env: { ALL_PROXY: `socks5h://127.0.0.1:${port}` } });
  await assert.rejects(sendGet(client, 'https://a.invalid/', {}, undefined), {
    code: 'unreachable',
    message: new RegExp(`a\\.invalid cannot be reached: 127\\.0\\.0\\.1:${port} refused the connection`),
  });
});
