import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountSession } from '../../src/account/account-session.js';
import { isExpired, nearsExpiry } from '../../src/account/identity.js';
import { setUpAccount } from '../../src/service/account-api.js';
import {
  type Account,
  countPosts,
  createJwt,
  EMAIL,
  expireStored,
  sandboxAccount,
  storeNewIdentity,
} from './helpers.js';

const REGISTER = '/agent/identity';
const TOKEN = '/oauth2/token';
const use = (account: Account, session: AccountSession): Promise<unknown> =>
  session.authorized((token) => setUpAccount(account.calls, token));

test('uses one access token for many calls', async (t) => {
  const { service, account } = await sandboxAccount(t);
  const session = new AccountSession(account, await storeNewIdentity(account));
  const before = countPosts(service, TOKEN);
  for (let i = 0; i < 3; i++) await use(account, session);
  assert.equal(countPosts(service, TOKEN), before + 1);
});

test('replaces an expired token before it is sent', async (t) => {
  const { service, account } = await sandboxAccount(t, { issuer: { lifetimes: { token: 60_000 } } });
  const session = new AccountSession(account, await storeNewIdentity(account));
  const before = countPosts(service, TOKEN);
  await use(account, session);
  const [elapsed, date] = [performance.now.bind(performance), Date.now];
  t.mock.method(performance, 'now', () => elapsed() + 60_000);
  t.mock.method(Date, 'now', () => date() + 60_000);
  await use(account, session);
  assert.equal(countPosts(service, TOKEN), before + 2);
  assert.equal(service.requests.filter(({ status }) => status === 401).length, 0);
});

test('exchanges the assertion for a new token after a 401, once', async (t) => {
  const { service, account } = await sandboxAccount(t);
  const session = new AccountSession(account, await storeNewIdentity(account));
  service.issuer.failNext('account', 'invalid_token');
  const before = countPosts(service, TOKEN);
  await use(account, session);
  assert.equal(countPosts(service, TOKEN), before + 2);
  service.issuer.failNext('account', 'invalid_token', 'invalid_token', 'invalid_token');
  const sent = countPosts(service, '/v1/account');
  await assert.rejects(use(account, session), { exitCode: 4, status: 401 });
  assert.equal(countPosts(service, '/v1/account'), sent + 2);
});

test('does not retry a 401 of the issuer', async (t) => {
  const { service, account } = await sandboxAccount(t);
  const session = new AccountSession(account, await storeNewIdentity(account));
  service.issuer.answerNext('token', { status: 401, body: '{"code":"invalid_client"}' });
  const before = countPosts(service, TOKEN);
  await assert.rejects(use(account, session), { exitCode: 4, status: 401, message: /invalid_client/ });
  assert.equal(countPosts(service, TOKEN), before + 1);
});

test('one of several concurrent sessions refreshes an assertion that expires soon, and stores the result', async (t) => {
  const { service, account } = await sandboxAccount(t);
  const old = await expireStored(account, await storeNewIdentity(account));
  const sessions = Array.from({ length: 10 }, () => new AccountSession(account, old));
  await Promise.all(sessions.map((session) => use(account, session)));
  const stored = await account.store.read(account.issuer.host, EMAIL);
  assert.notEqual(stored?.refreshToken, old.refreshToken);
  assert.notEqual(stored?.assertion, old.assertion);
  assert.equal(countPosts(service, REGISTER), 2);
});

test('reads the stored identity again if another process replaced the assertion', async (t) => {
  const { service, account } = await sandboxAccount(t);
  const identity = await storeNewIdentity(account);
  // It contains no date, so only the issuer detects that it is invalid.
  const stale = { ...identity, assertion: 'void' };
  service.issuer.failNext('token', 'invalid_grant');
  await use(account, new AccountSession(account, stale));
});

test('uses the assertion until it expires if the refresh fails temporarily', async (t) => {
  const { service, account } = await sandboxAccount(t, { issuer: { lifetimes: { assertion: 3_600_000 } } });
  const identity = await storeNewIdentity(account);
  const [head, payload = '', ...rest] = identity.assertion.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number };
  assert.ok(head && rest.length === 1 && claims.exp > 0);
  const now = Math.floor(Date.now() / 1000);
  const nearing = { ...identity, assertion: createJwt({ iat: now - 3600, exp: now + 60 }) };
  await account.store.update(identity.issuer, identity.email, async () => nearing);
  service.issuer.failNext('refresh', '503', '503', '503', '503', '503');
  // The issuer does not know the forged assertion: its refusal shows that the assertion was used.
  await assert.rejects(use(account, new AccountSession(account, nearing)), { code: 'not_signed_in' });
  assert.deepEqual(await account.store.list(), [nearing]);
});

test('does not refresh an identity that was removed meanwhile', async (t) => {
  const { account } = await sandboxAccount(t);
  const old = await expireStored(account, await storeNewIdentity(account));
  await account.store.remove();
  await assert.rejects(use(account, new AccountSession(account, old)), { code: 'not_signed_in' });
  assert.deepEqual(await account.store.list(), []);
});

const NOW = 1_700_000_000;
for (const [claims, near, expired] of [
  [{ iat: NOW - 3600, exp: NOW + 3600 }, false, false],
  [{ iat: NOW - 3600, exp: NOW + 200 }, true, false],
  [{ iat: NOW - 100_000, exp: NOW + 301 }, false, false],
  [{ iat: NOW - 100_000, exp: NOW + 299 }, true, false],
  [{ exp: NOW + 61 }, false, false],
  [{ exp: NOW + 59 }, true, false],
  [{ exp: NOW }, true, true],
  [{ iat: NOW + 10, exp: NOW + 5 }, false, false],
  [{ exp: 'soon' }, false, false],
  [{}, false, false],
] as const) {
  test(`${JSON.stringify(claims)} at ${NOW}: expires soon ${near}, expired ${expired}`, () => {
    const assertion = createJwt(claims);
    assert.deepEqual([nearsExpiry(assertion, NOW * 1000), isExpired(assertion, NOW * 1000)], [near, expired]);
  });
}

for (const assertion of ['', 'opaque', 'a.b.c', `a.${Buffer.from('null').toString('base64url')}.c`]) {
  test(`an assertion without a readable expiry does not expire: ${JSON.stringify(assertion)}`, () => {
    assert.equal(nearsExpiry(assertion, Date.now()), false);
  });
}
