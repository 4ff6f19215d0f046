import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readBody } from '../../src/http/watched-body.js';
import { sendGet } from '../../src/service/send-request.js';
import { createServiceClient } from '../../src/service/service-client.js';
import { freePort } from '../helpers/free-port.js';
import { clientFor, serve } from './loopback.js';

const KEY = { authorization: 'Bearer s3cret' };

test('a redirect to another origin drops the key, also for later redirects back', async (t) => {
  const seen: [string, string | undefined][] = [];
  const note = (name: string, headers: IncomingHttpHeaders): void => {
    seen.push([name, headers.authorization]);
  };
  let first = '';
  const second = await serve(t, (request, response) => {
    note('second', request.headers);
    response.writeHead(302, { location: `${first}/end` }).end('moved');
  });
  first = await serve(t, (request, response) => {
    note(`first${request.url}`, request.headers);
    if (request.url === '/end') response.end('there');
    else if (request.url === '/same') response.writeHead(307, { location: second }).end();
    else response.writeHead(302, { location: '/same', 'x-md5': 'hop' }).end();
  });
  const answer = await sendGet(clientFor(t, first), `${first}/start`, KEY, undefined);
  assert.equal((await readBody(answer.body)).toString(), 'there');
  assert.equal(answer.redirects[0]?.['x-md5'], 'hop');
  assert.deepEqual(seen, [
    ['first/start', 'Bearer s3cret'],
    ['first/same', 'Bearer s3cret'],
    ['second', undefined],
    ['first/end', undefined],
  ]);
});

for (const location of ['file:///etc/passwd', 'ftp://host/x', 'http://[', '/again']) {
  test(`a redirect to ${location} fails with bad_answer`, async (t) => {
    const base = await serve(t, (_, response) => response.writeHead(302, { location }).end());
    await assert.rejects(sendGet(clientFor(t, base), `${base}/x`, {}, undefined), { code: 'bad_answer' });
  });
}

test('a redirect that is not followed is reported without a key in its path', async (t) => {
  const base = await serve(t, (request, response) => {
    const location = request.url === '/x' ? '/s3cret-key/y' : 'ftp://host/z';
    response.writeHead(302, { location }).end();
  });
  const client = clientFor(t, base, { apiKey: 's3cret-key' });
  await assert.rejects(sendGet(client, `${base}/x`, {}, undefined), {
    code: 'bad_answer',
    message: /^127\.0\.0\.1:\d+\/\*\*\*\/y: redirect to a ftp: address, which is not followed$/,
  });
});

for (const [title, location, path] of [
  [
    'UTF-8',
    Buffer.from('/café/€.csv.gz?name=é&sig=a%2Bb'),
    '/caf%C3%A9/%E2%82%AC.csv.gz?name=%C3%A9&sig=a%2Bb',
  ],
  ['other bytes', Buffer.from('/caf\u00e9', 'latin1'), '/caf%E9'],
] as const) {
  test(`a redirect to an address in ${title} is requested with the same bytes`, async (t) => {
    const paths: (string | undefined)[] = [];
    const base = await serve(t, (request, response) => {
      paths.push(request.url);
      if (request.url !== '/x') response.end();
      // Node writes the characters of a header as Latin-1, one byte each.
      else response.writeHead(302, { location: location.toString('latin1') }).end();
    });
    await readBody((await sendGet(clientFor(t, base), `${base}/x`, {}, undefined)).body);
    assert.deepEqual(paths, ['/x', path]);
  });
}

test('never decodes a body', async (t) => {
  const bytes = gzipSync('csv');
  let accepted: unknown;
  const base = await serve(t, (request, response) => {
    accepted = request.headers['accept-encoding'];
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/csv' }).end(bytes);
  });
  const answer = await sendGet(clientFor(t, base), base, {}, undefined);
  assert.deepEqual(await readBody(answer.body), bytes);
  assert.equal(accepted, 'identity');
});

test('fails with stalled if no response arrives', async (t) => {
  const base = await serve(t, () => undefined);
  const client = clientFor(t, base, { stallTimeoutMs: 60 });
  await assert.rejects(sendGet(client, base, {}, undefined), { code: 'stalled' });
});

test('fails with reset if the connection closes before the response', async (t) => {
  const base = await serve(t, (request) => request.socket.destroy());
  await assert.rejects(sendGet(clientFor(t, base), base, {}, undefined), { code: 'reset' });
});

test('a refused connection is unreachable, and the error names the host', async (t) => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  await assert.rejects(sendGet(clientFor(t, base), base, {}, undefined), {
    code: 'unreachable',
    message: new RegExp(`^127\\.0\\.0\\.1:${port} cannot be reached: .*proxy`),
  });
});

test('an abort ends the wait for a response with its reason', async (t) => {
  const controller = new AbortController();
  const base = await serve(t, () => controller.abort());
  await assert.rejects(sendGet(clientFor(t, base), base, {}, controller.signal), { code: 'interrupted' });
});

test('an abort ends a body with its reason', async (t) => {
  const base = await serve(t, (_, response) => response.write('some'));
  const controller = new AbortController();
  const answer = await sendGet(clientFor(t, base), base, {}, controller.signal);
  await assert.rejects(
    async () => {
      for await (const chunk of answer.body) if (chunk.length > 0) controller.abort();
    },
    { code: 'interrupted' },
  );
});

test('the request log contains neither key nor query', async (t) => {
  const base = await serve(t, (_, response) => response.end());
  const lines: string[] = [];
  const client = clientFor(t, base, { onRequest: (line) => lines.push(line) });
  await readBody((await sendGet(client, `${base}/a?signature=s3cret`, KEY, undefined)).body);
  assert.match(lines.join('\n'), /^GET 127\.0\.0\.1:\d+\/a 200 \d+ms$/);
});

const CONFIG = { apiUrl: 'http://a', datasetsUrl: 'http://b', stallTimeoutMs: 1000, env: {} };
for (const [title, wrong] of [
  ['an address without a scheme', { apiUrl: 'api.example.com' }],
  ['a proxy that is not an http URL', { env: { HTTPS_PROXY: 'ftp://s3cret@x' } }],
  ['a key with a line break inside', { apiKey: 's3cret\nkey' }],
] as const) {
  test(`${title} is a usage error that contains no secret`, () => {
    assert.throws(
      () => createServiceClient({ ...CONFIG, ...wrong }),
      (error: Error & { code?: string }) => error.code === 'usage' && !error.message.includes('s3cret'),
    );
  });
}

test('trims the key', async (t) => {
  assert.equal(clientFor(t, 'https://a', { apiKey: ' key\r\n' }).config.apiKey, 'key');
  assert.equal(clientFor(t, 'https://a', { apiKey: ' \n' }).config.apiKey, undefined);
});
