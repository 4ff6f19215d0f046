import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sandbox } from '../../helpers/sandbox.js';
import {
  assertRefused,
  bearer,
  createSteps,
  EMAIL,
  type Identity,
  post,
  readIdentity,
  verifiedIdentity,
} from './helpers.js';

/** A part of a JWT: 0 for the header and 1 for the claims. */
function partOf(assertion: string, part: 0 | 1): Record<string, unknown> {
  return JSON.parse(Buffer.from(assertion.split('.')[part] ?? '', 'base64url').toString());
}

test('the assertion is a JWT with its time of expiry', async (t) => {
  const service = await sandbox(t, { issuer: { lifetimes: { assertion: 90_000 } } });
  const before = Math.floor(Date.now() / 1000);
  const { assertion } = await verifiedIdentity(service);
  assert.deepEqual(partOf(assertion, 0), { alg: 'EdDSA', typ: 'JWT' });
  const { iss, email, iat, exp } = partOf(assertion, 1) as Record<string, number>;
  assert.deepEqual([iss, email], [service.issuerUrl, EMAIL]);
  assert.ok(Number.isInteger(exp) && Number(exp) - Number(iat) === 90);
  assert.ok(Number(iat) >= before && Number(iat) <= Date.now() / 1000);
});

test('the token response has the fields of RFC 6749', async (t) => {
  const service = await sandbox(t, { issuer: { lifetimes: { token: 5000 } } });
  const { assertion } = await verifiedIdentity(service);
  const { status, headers, body } = await createSteps(service).token(assertion);
  assert.equal(status, 200);
  assert.equal(headers['cache-control'], 'no-store');
  assert.deepEqual(Object.keys(body), ['access_token', 'token_type', 'expires_in']);
  assert.deepEqual([body['token_type'], body['expires_in']], ['Bearer', 5]);
});

test('token exchange rejects unreadable, unknown and unsupported requests', async (t) => {
  const service = await sandbox(t);
  const { token } = createSteps(service);
  const { assertion } = await verifiedIdentity(service);
  for (const undecodable of ['', 'x', 'a.b', 'a.b.c', `${assertion}.d`, 'eyJ9.eyJ9.c2ln']) {
    assertRefused(await token(undecodable), 'invalid_request');
  }
  const [header, claims, signature = ''] = assertion.split('.');
  const forged = Buffer.from(JSON.stringify({ ...partOf(assertion, 1), exp: 9e9 })).toString('base64url');
  assertRefused(await token(`${header}.${forged}.${signature}`), 'invalid_grant');
  assertRefused(await token(`${header}.${claims}.${signature.slice(1)}A`), 'invalid_grant');
  assertRefused(await token(assertion, { grant_type: 'client_credentials' }), 'unsupported_grant_type');
  assertRefused(await token(assertion, { resource: 'https://elsewhere.invalid' }), 'invalid_target');
  assertRefused(await token(assertion, { resource: 'text' }), 'invalid_target');
  for (const resource of [
    service.apiUrl,
    `${service.apiUrl}/`,
    service.apiUrl.replace('127.0.0.1', 'localhost'),
  ]) {
    assert.equal((await token(assertion, { resource })).status, 200, resource);
  }
});

test('assertions, access tokens and refresh tokens expire after their lifetimes', async (t) => {
  const service = await sandbox(t, {
    issuer: { lifetimes: { token: 10_000, assertion: 20_000, refresh: 30_000 } },
  });
  const identity = await verifiedIdentity(service);
  const headers = await bearer(service, identity);
  const account = `${service.apiUrl}/v1/account`;
  assert.equal((await post(account, {}, headers)).status, 201);
  let now = Date.now();
  t.mock.method(Date, 'now', () => now);
  now += 10_000;
  assertRefused(await post(account, {}, headers), 'invalid_token');
  assert.equal((await createSteps(service).token(identity.assertion)).status, 200);
  now += 10_000;
  assertRefused(await createSteps(service).token(identity.assertion), 'invalid_grant');
  now += 10_000;
  assertRefused(await createSteps(service).refresh(identity.refreshToken), 'invalid_refresh_token');
});

test('a refresh rotates the refresh token; reusing the old one revokes the identity', async (t) => {
  const service = await sandbox(t);
  const { refresh, token } = createSteps(service);
  const first = await verifiedIdentity(service);
  const bystander = await verifiedIdentity(service);
  const second = readIdentity(await refresh(first.refreshToken));
  assert.notEqual(second.refreshToken, first.refreshToken);
  assert.notEqual(second.assertion, first.assertion);
  const third = readIdentity(await refresh(second.refreshToken));
  const headers = await bearer(service, third);
  assertRefused(await refresh(first.refreshToken), 'invalid_refresh_token');
  assertRefused(await refresh(third.refreshToken), 'invalid_refresh_token');
  for (const { assertion } of [first, second, third]) assertRefused(await token(assertion), 'invalid_grant');
  assertRefused(await post(`${service.apiUrl}/v1/account`, {}, headers), 'invalid_token');
  assert.equal((await token(bystander.assertion)).status, 200);
});

test('one of many concurrent refreshes with the same token succeeds', async (t) => {
  const service = await sandbox(t);
  const { refreshToken } = await verifiedIdentity(service);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => createSteps(service).refresh(refreshToken)),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  assert.equal(refused.length, 19);
  for (const answer of refused) assertRefused(answer, 'invalid_refresh_token');
});

test('an unknown or missing refresh token is rejected', async (t) => {
  const { refresh } = createSteps(await sandbox(t));
  assertRefused(await refresh('rt_unknown'), 'invalid_refresh_token');
  for (const nothing of [undefined, '', 7, {}]) assertRefused(await refresh(nothing), 'invalid_request');
});

test('revoking an e-mail address ends each of its identities', async (t) => {
  const service = await sandbox(t);
  const identities: Identity[] = [await verifiedIdentity(service), await verifiedIdentity(service)];
  service.issuer.revoke('JO@example.com');
  for (const { assertion, refreshToken } of identities) {
    assertRefused(await createSteps(service).token(assertion), 'invalid_grant');
    assertRefused(await createSteps(service).refresh(refreshToken), 'invalid_refresh_token');
  }
  assert.equal((await createSteps(service).token((await verifiedIdentity(service)).assertion)).status, 200);
});
