import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalizeUserCode } from '../../../src/account/sign-in/user-code.js';
import { TickhaulError } from '../../../src/base/errors.js';
import { claimVisitor, denyClaim } from '../../helpers/claim-page.js';
import { sandbox } from '../../helpers/sandbox.js';
import { accountFor, countOf, EMAIL, signedIn, signIn } from '../helpers.js';

const REGISTER = '/agent/identity';

const tillAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );

test('a first sign-in registers, has the code typed, stores the identity and sets up the account', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  const { events, result } = signIn(account);
  const signed = await result;
  assert.equal(signed.account['email'], EMAIL);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['registered', 'verification', 'code', 'verified'],
  );
  const [stored] = await account.store.list();
  assert.deepEqual([stored?.issuer, stored?.email], [new URL(service.issuerUrl).host, EMAIL]);
});

test('a second one uses what is stored, in whatever case the e-mail is written', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  await signedIn(account);
  const { events, result } = signIn(account, { email: 'Jo@Example.com' });
  assert.equal((await result).reused, true);
  assert.deepEqual(events, [{ event: 'stored' }]);
  assert.equal(countOf(service, REGISTER), 1);
});

test('a revoked identity leads to registration by itself', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  const old = await signedIn(account);
  service.issuer.revoke(EMAIL);
  const { events, result } = signIn(account);
  assert.equal((await result).reused, false);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['stored', 'restart', 'registered', 'verification', 'code', 'verified'],
  );
  assert.notEqual((await account.store.list())[0]?.refreshToken, old.refreshToken);
});

test('a wrong code before the page is done: it is waited for the page, then asked again', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  const told: string[] = [];
  let code: Promise<string | undefined> | undefined;
  let uri = '';
  const { result } = signIn(account, {
    emit: (event) => {
      told.push(event.event === 'code' || event.event === 'waiting' ? event.reason : event.event);
      if (event.event === 'verification') uri = event.uri;
      if (event.event !== 'waiting') return;
      code ??= claimVisitor(uri)
        .act('sign-in', { email: EMAIL })
        .then((page) => page.code);
    },
    askCode: async (reason) => (reason === 'first' ? 'nope-nope' : ` ${await code}\t`.replace('-', ' – ')),
  });
  await result;
  const once = told.filter((what, i) => what !== told[i - 1]);
  assert.deepEqual(once, ['registered', 'verification', 'first', 'claim_not_confirmed', 'wrong', 'verified']);
});

test('a claim that is denied begins anew once, and then says so', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  let links = 0;
  const deny = async (uri: string): Promise<string> => {
    links++;
    await denyClaim(uri, EMAIL);
    return 'abcd-efgh';
  };
  const { events, result } = signIn(account, {
    askCode: () => {
      const link = events.findLast((event) => event.event === 'verification');
      return deny(link?.uri ?? '');
    },
  });
  await assert.rejects(result, { code: 'claim_failed', message: /denied on the page/ });
  assert.equal(links, 2);
  assert.deepEqual(await account.store.list(), []);
});

test('organizations are chosen on the page, and the code is given again', async (t) => {
  const service = await sandbox(t, { issuer: { organizations: ['One', 'Two'] } });
  const account = await accountFor(t, service);
  const { events, result } = signIn(account, {
    askCode: async (reason) => {
      const link = events.findLast((event) => event.event === 'verification');
      const visitor = claimVisitor(link?.uri ?? '');
      await visitor.act('sign-in', { email: EMAIL });
      if (reason === 'first') return 'abcd-efgh';
      const { code } = await visitor.act('choose', { organization: 'Two' });
      return code ?? '';
    },
  });
  await result;
  assert.equal((await account.store.list()).length, 1);
});

test('the time for all of it is kept, while a code is waited for too', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  const { result } = signIn(account, {
    timeoutMs: 100,
    askCode: (_, signal) => tillAborted(signal),
  });
  await assert.rejects(result, { code: 'timed_out', message: /not finished within 0\.1s/ });
});

test('where no other code comes till the time is over, the error says what was refused', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  service.issuer.failNext('complete', 'invalid_user_code');
  const { result } = signIn(account, {
    timeoutMs: 1000,
    askCode: (reason, signal) => (reason === 'first' ? Promise.resolve('abcd') : tillAborted(signal)),
  });
  await assert.rejects(result, {
    code: 'timed_out',
    message: /within 1\.0s: the code is wrong \(invalid_user_code: ".*"\)$/,
  });
});

test('failures of the last step are asked again till the time is over, and the error names them', async (t) => {
  const service = await sandbox(t);
  const account = await accountFor(t, service);
  service.issuer.failNext('complete', ...new Array<'503'>(100).fill('503'));
  const { events, result } = signIn(account, { timeoutMs: 1500 });
  await assert.rejects(result, {
    code: 'timed_out',
    message: /within 1\.5s: \S+complete: the service failed \(503\)$/,
  });
  assert.equal(events.filter(({ event }) => event === 'verification').length, 1);
});

test('an interrupt while the identity is on its way does not lose it', async (t) => {
  const interrupt = new AbortController();
  const service = await sandbox(t, {
    onRequest: ({ url }) => {
      if (url.endsWith('/complete')) interrupt.abort(new TickhaulError('interrupted', 'interrupted'));
    },
  });
  const account = await accountFor(t, service);
  const calls = { ...account.calls, signal: interrupt.signal };
  await assert.rejects(signIn({ ...account, calls }).result, { code: 'interrupted' });
  assert.equal((await account.store.list()).length, 1);
});

for (const [typed, sent] of [
  ['Abcd-3Efg', 'Abcd3Efg'],
  [' ab cd - ef ', 'abcdef'],
  ['ab‐cd–ef—gh', 'abcdefgh'],
  ['\t- ', ''],
] as const) {
  test(`the code ${JSON.stringify(typed)} is sent as ${JSON.stringify(sent)}`, () => {
    assert.equal(normalizeUserCode(typed), sent);
  });
}
