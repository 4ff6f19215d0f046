import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountSession } from '../../src/account/account-session.js';
import { isExpired, nearsExpiry } from '../../src/account/identities/identity.js';
import { setUpAccount } from '../../src/service/account/account-api.js';
import { sandbox } from '../helpers/sandbox.js';
import { type Account, accountFor, countOf, EMAIL, expireStored, jwtOf, signedIn } from './helpers.js';

const REGISTER = '/agent/identity';
const TOKEN = '/oauth2/token';
const use = (account: Account, session: AccountSession): Promise<unknown> =>
  session.authorized((token) => setUpAccount(account.calls, token));

test('one access token serves many calls', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  const session = new AccountSession(account, await signedIn(account));
  const before = countOf(service, TOKEN);
  for (let i = 0; i < 3; i++) await use(account, session);
  assert.equal(countOf(service, TOKEN), before + 1);
});

test('a token that has expired by its own word is exchanged anew without being sent', async (t) => {
  const service = await sandbox(t, { issuer: { lifetimes: { token: 60_000 } } });
  const account = await accountFor(t, service);
  const session = new AccountSession(account, await signedIn(account));
  const before = countOf(service, TOKEN);
  await use(account, session);
  const [elapsed, date] = [performance.now.bind(performance), Date.now];
  t.mock.method(performance, 'now', () => elapsed() + 60_000);
  t.mock.method(Date, 'now', () => date() + 60_000);
  await use(account, session);
  assert.equal(countOf(service, TOKEN), before + 2);
  assert.equal(service.requests.filter(({ status }) => status === 401).length, 0);
});

test('a 401 has the token exchanged anew, once', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  const session = new AccountSession(account, await signedIn(account));
  service.issuer.failNext('account', 'invalid_token');
  const before = countOf(service, TOKEN);
  await use(account, session);
  assert.equal(countOf(service, TOKEN), before + 2);
  service.issuer.failNext('account', 'invalid_token', 'invalid_token', 'invalid_token');
  const sent = countOf(service, '/v1/account');
  await assert.rejects(use(account, session), { exitCode: 4, status: 401 });
  assert.equal(countOf(service, '/v1/account'), sent + 2);
});

test('a 401 of the issuer itself is not asked for again', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  const session = new AccountSession(account, await signedIn(account));
  service.issuer.answerNext('token', { status: 401, body: '{"code":"invalid_client"}' });
  const before = countOf(service, TOKEN);
  await assert.rejects(use(account, session), { exitCode: 4, status: 401, message: /invalid_client/ });
  assert.equal(countOf(service, TOKEN), before + 1);
});

test('an assertion near its end is refreshed ahead of time, and the new refresh token stored', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  const real = await signedIn(account);
  const old = await expireStored(account, real);
  await use(account, new AccountSession(account, old));
  const stored = await account.store.read(account.issuer.host, EMAIL);
  assert.notEqual(stored?.refreshToken, old.refreshToken);
  assert.notEqual(stored?.assertion, old.assertion);
  assert.equal(countOf(service, REGISTER), 2);
});

test('of sessions that find the same assertion near its end at once, one refreshes', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  const old = await expireStored(account, await signedIn(account));
  const sessions = Array.from({ length: 10 }, () => new AccountSession(account, old));
  await Promise.all(sessions.map((session) => use(account, session)));
  assert.equal(countOf(service, REGISTER), 2);
});

test('an assertion that another process replaced is not the end', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  const identity = await signedIn(account);
  // No date can be read from it, so that it is found void only in use.
  const stale = { ...identity, assertion: 'void' };
  service.issuer.failNext('token', 'invalid_grant');
  await use(account, new AccountSession(account, stale));
});

test('a refresh that fails for now uses the assertion as long as that lives', async (t) => {
  const service = await sandbox(t, { issuer: { lifetimes: { assertion: 3_600_000 } } });
  const account = await accountFor(t, service);
  const identity = await signedIn(account);
  const [head, payload = '', ...rest] = identity.assertion.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number };
  assert.ok(head && rest.length === 1 && claims.exp > 0);
  const now = Math.floor(Date.now() / 1000);
  const nearing = { ...identity, assertion: jwtOf({ iat: now - 3600, exp: now + 60 }) };
  await account.store.update(identity.issuer, identity.email, async () => nearing);
  service.issuer.failNext('refresh', '503', '503', '503', '503', '503');
  // The made-up assertion is not one that the issuer knows: that it is asked for shows that it is used.
  await assert.rejects(use(account, new AccountSession(account, nearing)), { code: 'not_signed_in' });
  assert.deepEqual(await account.store.list(), [nearing]);
});

test('an identity that was forgotten meanwhile is not refreshed', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  const old = await expireStored(account, await signedIn(account));
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
  test(`${JSON.stringify(claims)} at ${NOW}: near its end ${near}, expired ${expired}`, () => {
    const assertion = jwtOf(claims);
    assert.deepEqual([nearsExpiry(assertion, NOW * 1000), isExpired(assertion, NOW * 1000)], [near, expired]);
  });
}

for (const assertion of ['', 'opaque', 'a.b.c', `a.${Buffer.from('null').toString('base64url')}.c`]) {
  test(`no end can be read from ${JSON.stringify(assertion)}`, () => {
    assert.equal(nearsExpiry(assertion, Date.now()), false);
  });
}
