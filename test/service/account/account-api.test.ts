import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Secrets } from '../../../src/base/secrets.js';
import { callOperation, discoverIssuer, fetchDescription } from '../../../src/service/account/account-api.js';
import { completeClaim, parseIssuer, startClaim } from '../../../src/service/account/issuer.js';
import { type CallContext, callJson } from '../../../src/service/account/json-call.js';
import { clientFor, serve } from '../loopback.js';

const contextFor = (t: TestContext, base: string): CallContext => ({
  client: clientFor(t, base),
  secrets: new Secrets(),
  maxWaitMs: 100,
});

for (const [url, host] of [
  ['https://auth.example.com/', 'auth.example.com'],
  ['https://auth.example.com:8443/tenant/', 'auth.example.com:8443'],
  ['http://127.0.0.1:9000', '127.0.0.1:9000'],
  ['http://localhost:9000', 'localhost:9000'],
  ['http://[::1]:9000', '[::1]:9000'],
] as const) {
  test(`${url} is an issuer`, () => {
    assert.deepEqual(parseIssuer(url, 'x'), { url: url.replace(/\/$/, ''), host });
  });
}

for (const url of [
  'http://auth.example.com',
  'http://127.0.0.1.example.com',
  'http://notlocalhost',
  'http://10.0.0.1',
  'https://user:s3cret@auth.example.com',
  'https://auth.example.com/?token=s3cret',
  'file:///etc/passwd',
  'auth.example.com',
  '',
]) {
  test(`"${url}" is no issuer`, () => {
    assert.throws(
      () => parseIssuer(url, '--auth-url'),
      (error: Error & { code?: string }) => error.code === 'usage' && !error.message.includes('s3cret'),
    );
  });
}

const DISCOVERIES: readonly [string, (base: string) => object, RegExp | undefined][] = [
  ['an issuer', () => ({ authorization_servers: ['https://auth.example.com/'] }), undefined],
  [
    'an issuer, and the right resource',
    (base) => ({ resource: `${base}/`, authorization_servers: ['https://auth.example.com'] }),
    undefined,
  ],
  ['no issuer', () => ({}), /authorization_servers is missing/],
  [
    'an empty list',
    () => ({ authorization_servers: [] }),
    /authorization_servers is an array, which is not right/,
  ],
  [
    'an issuer without https',
    () => ({ authorization_servers: ['http://auth.example.com'] }),
    /must be https/,
  ],
  [
    "another service's announcement",
    () => ({ resource: 'https://other.example.com', authorization_servers: ['https://auth.example.com'] }),
    /about another service; name the issuer with --auth-url/,
  ],
  [
    'a token endpoint on another host',
    () => ({
      authorization_servers: ['https://auth.example.com'],
      token_endpoint: 'https://evil.example.com/oauth2/token',
    }),
    /token endpoint is not on the issuer's host/,
  ],
];

for (const [title, announcement, refusal] of DISCOVERIES) {
  test(`discovery: ${title}`, async (t) => {
    let base = '';
    base = await serve(t, (request, response) => {
      assert.equal(request.url, '/.well-known/oauth-protected-resource');
      response.end(JSON.stringify(announcement(base)));
    });
    const found = discoverIssuer(contextFor(t, base));
    if (refusal) await assert.rejects(found, { message: refusal });
    else assert.equal((await found).host, 'auth.example.com');
  });
}

test('a host that announces nothing has the issuer named', async (t) => {
  const base = await serve(t, (_, response) => response.writeHead(404).end());
  await assert.rejects(discoverIssuer(contextFor(t, base)), {
    code: 'bad_answer',
    message: /no issuer is announced \(404\); name the issuer with --auth-url/,
  });
});

test('secrets are never sent over plain http to another machine', async (t) => {
  const context = contextFor(t, 'http://api.example.com');
  await assert.rejects(fetchDescription(context, 'a-token'), { code: 'usage', message: /https only/ });
});

for (const uri of ['javascript:alert(1)', 'file:///etc/passwd', 'http://example.com/claim', 'claim', 7]) {
  test(`a link to ${uri} is not given to the user`, async (t) => {
    const base = await serve(t, (_, response) =>
      response.end(JSON.stringify({ attempt: { verification_uri: uri } })),
    );
    const issuer = parseIssuer(base, 'x');
    await assert.rejects(startClaim(contextFor(t, base), issuer, 'claim-token', 'a@b.cd'), {
      code: 'bad_answer',
      message: /attempt\.verification_uri is a (string: expected an https address|number, and must be)/,
    });
  });
}

test('a link is shown in plain letters', async (t) => {
  const uri = 'https://example.com/\u001b[31m/é?a=\u202eb';
  const base = await serve(t, (_, response) =>
    response.end(JSON.stringify({ attempt: { verification_uri: uri } })),
  );
  const link = await startClaim(contextFor(t, base), parseIssuer(base, 'x'), 'claim-token', 'a@b.cd');
  assert.match(link, /^[\x21-\x7e]+$/);
});

test('an error quotes the server without any secret that was seen, in one line', async (t) => {
  const context = contextFor(t, 'http://127.0.0.1');
  context.secrets.add('first-secret"quoted');
  const base = await serve(t, (_, response) => {
    const message = 'bad first-secret"quoted\nand second%2Bsecret+1 or second+secret+1 \u001b[31m';
    response.writeHead(400).end(JSON.stringify({ code: 'second+secret+1', message }));
  });
  context.secrets.add('second+secret+1');
  await assert.rejects(
    callJson(context, { method: 'GET', url: base }, (json) => json),
    (error: Error) => {
      assert.match(error.message, /refused \(400, \*\*\*\): "bad \*\*\* and .* or \*\*\* \[31m"$/);
      assert.ok(!error.message.includes('first-secret') && !/\p{Cc}/u.test(error.message));
      return true;
    },
  );
});

test('an answer that is cut short is a broken connection, not corrupt data', async (t) => {
  const base = await serve(t, (request) => {
    request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{}');
  });
  const cut = callOperation(contextFor(t, base), { method: 'POST', path: '/v1/account/x' }, 'a-token');
  await assert.rejects(cut, { code: 'reset', message: /received only 2 of the 500 announced bytes/ });
});

test('a code that a refusal repeats is not shown', async (t) => {
  const base = await serve(t, (request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => {
      response.writeHead(400).end(JSON.stringify({ code: 'invalid_user_code', message: text }));
    });
  });
  const completed = completeClaim(contextFor(t, base), parseIssuer(base, 'x'), 'claim-token', 'Abcd3Efg');
  await assert.rejects(completed, (error: Error) => {
    assert.match(error.message, /"user_code":"\*\*\*"/);
    return true;
  });
});

for (const [what, body, json] of [
  ['nothing', '', undefined],
  ['a blank line', '\r\n', undefined],
  ['JSON', '[1]', [1]],
] as const) {
  test(`an operation may answer ${what}`, async (t) => {
    const base = await serve(t, (_, response) => response.end(body));
    const answer = callOperation(contextFor(t, base), { method: 'DELETE', path: '/v1/account/x' }, 'a-token');
    assert.deepEqual(await answer, json);
  });
}

test('a page in the place of an answer does not pass for an operation that is done', async (t) => {
  const base = await serve(t, (_, response) => response.end('<title>Please sign in</title>'));
  await assert.rejects(
    callOperation(contextFor(t, base), { method: 'DELETE', path: '/v1/account/x' }, 'a-token'),
    { code: 'bad_answer', message: /\/v1\/account\/x: the answer is not JSON$/ },
  );
});

test('an operation that does something is sent once, unless the service says that it failed', async (t) => {
  let asked = 0;
  const base = await serve(t, (request, response) => {
    asked++;
    if (asked === 1) response.writeHead(500).end();
    else request.socket.destroy();
  });
  const context = contextFor(t, base);
  await assert.rejects(callOperation(context, { method: 'POST', path: '/v1/account/keys' }, 'a-token'), {
    code: 'reset',
  });
  assert.equal(asked, 2);
});
