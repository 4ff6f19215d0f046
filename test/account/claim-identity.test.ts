import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { normalizeUserCode } from '../../src/account/sign-in-to-account.js';
import { TickhaulError } from '../../src/base/errors.js';
import { claimVisitor } from '../helpers/claim-page.js';
import { countPosts, EMAIL, sandboxAccount, signIn, storeNewIdentity } from './helpers.js';

const REGISTER = '/agent/identity';

const waitForAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );

test('a first sign-in registers, asks for the code, stores the identity and sets up the account', async (t) => {
  const { service, account } = await sandboxAccount(t);
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

test('a second sign-in uses the stored identity and ignores the case of the e-mail', async (t) => {
  const { service, account } = await sandboxAccount(t);
  await storeNewIdentity(account);
  const { events, result } = signIn(account, { email: 'Jo@Example.com' });
  assert.equal((await result).reused, true);
  assert.deepEqual(events, [{ event: 'stored' }]);
  assert.equal(countPosts(service, REGISTER), 1);
});

test('after a wrong code, waits until the page is done and asks for the code again', async (t) => {
  const { account } = await sandboxAccount(t);
  const reasons: string[] = [];
  let code: Promise<string | undefined> | undefined;
  let uri = '';
  const { result } = signIn(account, {
    emit: (event) => {
      reasons.push(event.event === 'code' || event.event === 'waiting' ? event.reason : event.event);
      if (event.event === 'verification') uri = event.uri;
      if (event.event !== 'waiting') return;
      code ??= claimVisitor(uri)
        .act('sign-in', { email: EMAIL })
        .then((page) => page.code);
    },
    askCode: async (reason) => (reason === 'first' ? 'nope-nope' : ` ${await code}\t`.replace('-', ' – ')),
  });
  await result;
  const once = reasons.filter((what, i) => what !== reasons[i - 1]);
  assert.deepEqual(once, ['registered', 'verification', 'first', 'claim_not_confirmed', 'wrong', 'verified']);
});

/** Enough time on a busy machine for a sign-in to reach its last step. */
const LIMIT_MS = 3000;

// The tests mostly wait.
describe('the time limit', { concurrency: 3 }, () => {
  test('the time limit applies while waiting for a code', async (t) => {
    const { account } = await sandboxAccount(t);
    const { result } = signIn(account, {
      timeoutMs: 100,
      askCode: (_, signal) => waitForAbort(signal),
    });
    await assert.rejects(result, { code: 'timed_out', message: /not finished within 0\.1s/ });
  });

  test('the timeout error names the refusal if no other code is entered', async (t) => {
    const { service, account } = await sandboxAccount(t);
    service.issuer.failNext('complete', 'invalid_user_code');
    const { result } = signIn(account, {
      timeoutMs: LIMIT_MS,
      askCode: (reason, signal) => (reason === 'first' ? Promise.resolve('abcd') : waitForAbort(signal)),
    });
    await assert.rejects(result, {
      code: 'timed_out',
      message: /within 3\.0s: the code is wrong \(invalid_user_code: ".*"\)$/,
    });
  });

  test('retries the last step until the time limit, and the error names its failure', async (t) => {
    const { service, account } = await sandboxAccount(t);
    service.issuer.failNext('complete', ...new Array<'503'>(100).fill('503'));
    const { events, result } = signIn(account, { timeoutMs: LIMIT_MS });
    await assert.rejects(result, {
      code: 'timed_out',
      message: /within 3\.0s: \S+complete: the service failed \(503\)$/,
    });
    assert.equal(events.filter(({ event }) => event === 'verification').length, 1);
  });
});

test('stores the identity even if interrupted while it is being sent', async (t) => {
  const interrupt = new AbortController();
  const { account } = await sandboxAccount(t, {
    onRequest: ({ url }) => {
      if (url.endsWith('/complete')) interrupt.abort(new TickhaulError('interrupted', 'interrupted'));
    },
  });
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
