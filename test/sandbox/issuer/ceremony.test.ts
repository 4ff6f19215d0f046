import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { request } from 'undici';
import type { IssuerOptions, Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { approveClaim, claimVisitor } from '../../helpers/claim-page.js';
import { sandbox } from '../../helpers/sandbox.js';
import { rounds } from '../../helpers/services.js';
import {
  assertRefused,
  bearer,
  claimToken,
  createSteps,
  EMAIL,
  post,
  readIdentity,
  startAttempt,
} from './helpers.js';

const withIssuer = (t: TestContext, issuer: IssuerOptions = {}): Promise<Sandbox> => sandbox(t, { issuer });

test('the whole claim gives an identity, an access token and an account', async (t) => {
  const service = await withIssuer(t);
  const steps = createSteps(service);
  const registered = await steps.register();
  assert.equal(registered.status, 200);
  assert.equal(registered.headers['cache-control'], 'no-store');
  assert.deepEqual(Object.keys(registered.body), ['claim']);
  const { token } = registered.body['claim'] as { token: string };
  const uri = await startAttempt(service, token);
  assert.equal(new URL(uri).origin, service.issuerUrl);
  assertRefused(await steps.complete(token, 'AAAA'), 'claim_not_confirmed');
  const shown = await approveClaim(uri, EMAIL);
  assert.match(shown, /^\w{4}-\w{4}$/);
  assertRefused(await steps.complete(token, shown), 'invalid_user_code');
  const code = shown.replace('-', '');
  const otherCase = code === code.toLowerCase() ? code.toUpperCase() : code.toLowerCase();
  if (otherCase !== code) assertRefused(await steps.complete(token, otherCase), 'invalid_user_code');
  const identity = readIdentity(await steps.complete(token, code));
  assertRefused(await steps.complete(token, code), 'already_claimed');
  assertRefused(await steps.claim(token), 'already_claimed');
  const account = await post(`${service.apiUrl}/v1/account`, {}, await bearer(service, identity));
  assert.deepEqual([account.status, account.body['email']], [201, EMAIL]);
});

test('every secret is on the list, and nothing else is', async (t) => {
  const service = await withIssuer(t);
  const token = await claimToken(service);
  const code = (await approveClaim(await startAttempt(service, token), EMAIL)).replace('-', '');
  const { assertion, refreshToken } = readIdentity(await createSteps(service).complete(token, code));
  const { authorization } = await bearer(service, { assertion, refreshToken });
  assert.deepEqual(service.issuer.secrets, [
    { kind: 'claim_token', value: token },
    { kind: 'user_code', value: code },
    { kind: 'assertion', value: assertion },
    { kind: 'refresh_token', value: refreshToken },
    { kind: 'access_token', value: authorization.replace('Bearer ', '') },
  ]);
});

test('register rejects other types and invalid e-mail addresses', async (t) => {
  const { register } = createSteps(await withIssuer(t));
  assertRefused(await register({ type: 'anonymous' }), 'invalid_request');
  assertRefused(await register({ type: undefined }), 'invalid_request');
  for (const email of ['', 'jo', 'jo@', 'jo@example', '@example.com', 'jo doe@example.com', 7, null]) {
    assertRefused(await register({ login_hint: email }), 'invalid_login_hint');
  }
});

test('a body of another form is an invalid request', async (t) => {
  const { issuerUrl } = await withIssuer(t);
  const url = `${issuerUrl}/agent/identity`;
  const send = async (body: string, type = 'application/json'): Promise<void> => {
    const answer = await request(url, { method: 'POST', headers: { 'content-type': type }, body });
    const text = await answer.body.text();
    assert.deepEqual([answer.statusCode, JSON.parse(text).code], [400, 'invalid_request'], body.slice(0, 40));
  };
  for (const body of ['', '{', '[]', 'null', '"text"']) await send(body);
  await send(JSON.stringify({ type: 'service_auth', login_hint: EMAIL }), 'text/plain');
  await send(JSON.stringify({ type: 'service_auth', login_hint: EMAIL, more: 'x'.repeat(70_000) }));
  const form = new URLSearchParams([
    ['assertion', 'a'],
    ['assertion', 'b'],
  ]);
  assertRefused(await post(`${issuerUrl}/oauth2/token`, form), 'invalid_request');
  assertRefused(await post(`${issuerUrl}/agent/other`, {}), 'not_found');
});

test('a claim attempt rejects an unknown token and another e-mail address', async (t) => {
  const service = await withIssuer(t);
  const { claim } = createSteps(service);
  const token = await claimToken(service);
  assertRefused(await claim('clm_unknown'), 'invalid_claim_token');
  assertRefused(await claim(undefined), 'invalid_claim_token');
  assertRefused(await claim(token, { login_hint: 'other@example.com' }), 'invalid_login_hint');
  assertRefused(await claim(token, { type: 'refresh' }), 'invalid_request');
  assert.equal((await claim(token, { login_hint: 'Jo@Example.com' })).status, 200);
});

test('the number of pending attempts is limited, and each has its own code', async (t) => {
  const service = await withIssuer(t, { maxAttempts: 2 });
  const token = await claimToken(service);
  const links = [await startAttempt(service, token), await startAttempt(service, token)];
  assertRefused(await createSteps(service).claim(token), 'too_many_attempts');
  const [first = '', second = ''] = await Promise.all(links.map((link) => approveClaim(link, EMAIL)));
  assert.notEqual(first, second);
  assert.equal((await createSteps(service).complete(token, first.replace('-', ''))).status, 200);
});

test('a claim and its code expire after their lifetimes', async (t) => {
  const expired = await withIssuer(t, { lifetimes: { claim: 0 } });
  const token = await claimToken(expired);
  assertRefused(await createSteps(expired).claim(token), 'claim_expired');
  assertRefused(await createSteps(expired).complete(token, 'AAAA'), 'claim_expired');
  assertRefused(await createSteps(expired).complete('clm_unknown', 'AAAA'), 'claim_expired');

  const service = await withIssuer(t, { lifetimes: { code: 0 } });
  const other = await claimToken(service);
  assertRefused(await createSteps(service).complete(other, 'AAAA'), 'claim_not_confirmed');
  const page = await claimVisitor(await startAttempt(service, other)).look();
  assert.deepEqual([page.status, page.code], [410, undefined]);
  assertRefused(await createSteps(service).complete(other, 'AAAA'), 'user_code_expired');
});

test('a code that was shown expires too', async (t) => {
  const service = await withIssuer(t, { lifetimes: { code: 60_000 } });
  const token = await claimToken(service);
  const code = (await approveClaim(await startAttempt(service, token), EMAIL)).replace('-', '');
  const later = Date.now() + 60_000;
  t.mock.method(Date, 'now', () => later);
  assertRefused(await createSteps(service).complete(token, code), 'user_code_expired');
  const fresh = await approveClaim(await startAttempt(service, token), EMAIL);
  assert.equal((await createSteps(service).complete(token, fresh.replace('-', ''))).status, 200);
});

test('with several organizations, the user must choose one before the code is shown', async (t) => {
  const service = await withIssuer(t, { organizations: ['One', 'Two & <Sons>'] });
  const { complete } = createSteps(service);
  const token = await claimToken(service);
  const visitor = claimVisitor(await startAttempt(service, token));
  assertRefused(await complete(token, 'AAAA'), 'claim_not_confirmed');
  const choosing = await visitor.act('sign-in', { email: EMAIL });
  assert.match(choosing.html, /Two &#38; &#60;Sons&#62;/);
  assertRefused(await complete(token, 'AAAA'), 'organization_selection_required');
  assert.equal((await visitor.act('choose', { organization: 'Three' })).code, undefined);
  const { code = '' } = await visitor.act('choose', { organization: 'Two & <Sons>' });
  assert.equal((await complete(token, code.replace('-', ''))).status, 200);
});

test('every request gets a success or a refusal', async (t) => {
  const service = await withIssuer(t);
  const known = { type: ['service_auth', 'refresh'], login_hint: [EMAIL], claim_token: ['clm_x'] };
  const field = fc.constantFrom(...Object.keys(known), 'user_code', 'refresh_token', '__proto__');
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(known).flat()));
  const paths = ['/agent/identity', '/agent/identity/claim', '/agent/identity/claim/complete'];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.dictionary(field, value), async (path, body) => {
      const answer = await post(service.issuerUrl + path, body);
      if (answer.status !== 200) assertRefused(answer, String(answer.body['code']));
    }),
    { numRuns: rounds(100) },
  );
});
