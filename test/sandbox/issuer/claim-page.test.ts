import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request } from 'undici';
import { claimVisitor } from '../../helpers/claim-page.js';
import { sandbox } from '../../helpers/sandbox.js';
import { assertRefused, claimToken, createSteps, EMAIL, startAttempt } from './helpers.js';

test('an unknown link, another path and a form without an attempt are not found', async (t) => {
  const { issuerUrl } = await sandbox(t);
  for (const path of ['/claim', '/claim?attempt=att_unknown', '/claims']) {
    assert.equal((await request(issuerUrl + path)).statusCode, 404, path);
  }
  const page = await claimVisitor(`${issuerUrl}/claim?attempt=att_unknown`).act('sign-in', { email: EMAIL });
  assert.equal(page.status, 404);
});

test('the page loads nothing, and is neither cached nor sent as a referrer', async (t) => {
  const service = await sandbox(t);
  const uri = await startAttempt(service, await claimToken(service));
  const { headers, body } = await request(uri);
  const html = await body.text();
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.match(String(headers['content-security-policy']), /^default-src 'none'; .*form-action 'self'/);
  assert.doesNotMatch(html, /<script|src=|https?:\/\//);
});

test('the wrong account sees no code and cannot deny; switching leads to the code', async (t) => {
  const service = await sandbox(t);
  const token = await claimToken(service);
  const visitor = claimVisitor(await startAttempt(service, token));
  const wrong = await visitor.act('sign-in', { email: 'other@example.com' });
  assert.match(wrong.html, /Wrong account.*other@example\.com.*jo@example\.com/s);
  assert.equal(wrong.code, undefined);
  await visitor.act('deny');
  assertRefused(await createSteps(service).complete(token, 'AAAA'), 'claim_not_confirmed');
  assert.match((await visitor.act('switch')).html, /<h1>Sign in<\/h1>/);
  const { code = '' } = await visitor.act('sign-in', { email: ` ${EMAIL.toUpperCase()} ` });
  assert.equal((await visitor.look()).code, code);
  assert.equal((await createSteps(service).complete(token, code.replace('-', ''))).status, 200);
  assert.match((await visitor.look()).html, /All done/);
});

test('a visitor without a session can neither deny nor choose', async (t) => {
  const service = await sandbox(t, { issuer: { organizations: ['One', 'Two'] } });
  const token = await claimToken(service);
  const visitor = claimVisitor(await startAttempt(service, token));
  await visitor.act('deny');
  assert.match((await visitor.act('choose', { organization: 'One' })).html, /<h1>Sign in<\/h1>/);
  assertRefused(await createSteps(service).complete(token, 'AAAA'), 'claim_not_confirmed');
});

test('an invalid e-mail address is requested again, and is escaped', async (t) => {
  const service = await sandbox(t);
  const visitor = claimVisitor(await startAttempt(service, await claimToken(service)));
  const entered = '"><script>alert(1)</script>';
  const page = await visitor.act('sign-in', { email: entered });
  assert.equal(page.status, 422);
  assert.match(page.html, /role="alert"/);
  assert.doesNotMatch(page.html, /<script/);
  const odd = await visitor.act('sign-in', { email: "<b>'x'&@example.com" });
  assert.match(odd.html, /&#60;b&#62;&#39;x&#39;&#38;@example\.com/);
});

test('denying ends the claim permanently', async (t) => {
  const service = await sandbox(t);
  const token = await claimToken(service);
  const uri = await startAttempt(service, token);
  const visitor = claimVisitor(uri);
  await visitor.act('sign-in', { email: EMAIL });
  assert.match((await visitor.act('deny')).html, /Access denied/);
  const page = await claimVisitor(uri).act('sign-in', { email: EMAIL });
  assert.equal(page.code, undefined);
  assertRefused(await createSteps(service).complete(token, 'AAAA'), 'claim_denied');
  assertRefused(await createSteps(service).claim(token), 'claim_revoked');
});
