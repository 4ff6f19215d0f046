import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Secrets } from '../../src/base/secrets.js';
import { callOperation, discoverIssuer, fetchDescription } from '../../src/service/account-api.js';
import { completeClaim, parseIssuer, startClaim } from '../../src/service/issuer.js';
import { type CallContext, callJson, RefusedError } from '../../src/service/json-call.js';
import { clientFor, serve } from './loopback.js';

const createContext = (t: TestContext, base: string): CallContext => ({
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
  test(`accepts ${url} as an issuer`, () => {
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
  test(`refuses "${url}" as an issuer`, () => {
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
    /authorization_servers is an array, which is invalid/,
  ],
  ['an issuer without https', () => ({ authorization_servers: ['http://auth.example.com'] }), /use https/],
  [
    "another service's metadata",
    () => ({ resource: 'https://other.example.com', authorization_servers: ['https://auth.example.com'] }),
    /the metadata describes another service; set the issuer with --auth-url/,
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
    const found = discoverIssuer(createContext(t, base));
    if (refusal) await assert.rejects(found, { message: refusal });
    else assert.equal((await found).host, 'auth.example.com');
  });
}

test('asks for --auth-url if the host announces no issuer', async (t) => {
  const base = await serve(t, (_, response) => response.writeHead(404).end());
  await assert.rejects(discoverIssuer(createContext(t, base)), {
    code: 'bad_answer',
    message: /no issuer is announced \(404\); set the issuer with --auth-url/,
  });
});

test('never sends secrets over plain http to another machine', async (t) => {
  const context = createContext(t, 'http://api.example.com');
  await assert.rejects(fetchDescription(context, 'a-token'), { code: 'usage', message: /https only/ });
});

for (const uri of ['javascript:alert(1)', 'file:///etc/passwd', 'http://example.com/claim', 'claim', 7]) {
  test(`does not show the user a link to ${uri}`, async (t) => {
    const base = await serve(t, (_, response) =>
      response.end(JSON.stringify({ attempt: { verification_uri: uri } })),
    );
    const issuer = parseIssuer(base, 'x');
    await assert.rejects(startClaim(createContext(t, base), issuer, 'claim-token', 'a@b.cd'), {
      code: 'bad_answer',
      message: /attempt\.verification_uri is a (string: expected an https address|number, and must be)/,
    });
  });
}

test('shows a link in printable ASCII only', async (t) => {
  const uri = 'https://example.com/\u001b[31m/é?a=\u202eb';
  const base = await serve(t, (_, response) =>
    response.end(JSON.stringify({ attempt: { verification_uri: uri } })),
  );
  const link = await startClaim(createContext(t, base), parseIssuer(base, 'x'), 'claim-token', 'a@b.cd');
  assert.match(link, /^[\x21-\x7e]+$/);
});

test('an error quotes the server in one line, without known secrets', async (t) => {
  const context = createContext(t, 'http://127.0.0.1');
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

test('a truncated response is a broken connection, not corrupt data', async (t) => {
  const base = await serve(t, (request) => {
    request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{}');
  });
  const cut = callOperation(createContext(t, base), { method: 'POST', path: '/v1/account/x' }, 'a-token');
  await assert.rejects(cut, { code: 'reset', message: /received only 2 of the 500 announced bytes/ });
});

test('redacts a user code that a refusal repeats', async (t) => {
  const base = await serve(t, (request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => {
      response.writeHead(400).end(JSON.stringify({ code: 'invalid_user_code', message: text }));
    });
  });
  const completed = completeClaim(createContext(t, base), parseIssuer(base, 'x'), 'claim-token', 'Abcd3Efg');
  await assert.rejects(completed, { message: /"user_code":"\*\*\*"/ });
});

for (const [what, body, json] of [
  ['nothing', '', undefined],
  ['a blank line', '\r\n', undefined],
  ['JSON', '[1]', [1]],
] as const) {
  test(`accepts ${what} as the response of an operation`, async (t) => {
    const base = await serve(t, (_, response) => response.end(body));
    const answer = callOperation(
      createContext(t, base),
      { method: 'DELETE', path: '/v1/account/x' },
      'a-token',
    );
    assert.deepEqual(await answer, json);
  });
}

test('an HTML page does not count as the response of an operation', async (t) => {
  const base = await serve(t, (_, response) => response.end('<title>Please sign in</title>'));
  await assert.rejects(
    callOperation(createContext(t, base), { method: 'DELETE', path: '/v1/account/x' }, 'a-token'),
    { code: 'bad_answer', message: /\/v1\/account\/x: the response is not JSON$/ },
  );
});

for (const status of [401, 403]) {
  test(`a page with ${status} is that of a server before the service, and no refusal of the token`, async (t) => {
    const base = await serve(t, (_, response) =>
      response
        .writeHead(status, { 'content-type': 'text/html' })
        .end('<title>Sign in to\u0007 the-access-token Guest</title>'),
    );
    const context = createContext(t, base);
    context.secrets.add('the-access-token');
    await assert.rejects(
      callOperation(context, { method: 'GET', path: '/v1/account/x' }, 'a-token'),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'bad_answer');
        assert.ok(!(error instanceof RefusedError));
        assert.match(
          error.message,
          /refused the request \(40[13]\): "Sign in to \*\*\* Guest"; check the network/,
        );
        return true;
      },
    );
  });
}

test('repeats a POST after 408 and 425', async (t) => {
  const statuses = [408, 425, 200];
  const base = await serve(t, (_, response) => response.writeHead(statuses.shift() ?? 500).end());
  const call = { method: 'POST', path: '/v1/account/keys' };
  assert.equal(await callOperation(createContext(t, base), call, 'a-token'), undefined);
  assert.deepEqual(statuses, []);
});

test('repeats a POST after a 5xx, but not after a lost response', async (t) => {
  let requests = 0;
  const base = await serve(t, (request, response) => {
    requests++;
    if (requests === 1) response.writeHead(500).end();
    else request.socket.destroy();
  });
  const context = createContext(t, base);
  await assert.rejects(callOperation(context, { method: 'POST', path: '/v1/account/keys' }, 'a-token'), {
    code: 'reset',
  });
  assert.equal(requests, 2);
});
