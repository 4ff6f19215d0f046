import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { AccountSession } from '../../../src/account/account-session.js';
import type { ErrorCode, TickhaulError } from '../../../src/base/errors.js';
import type { StepFault } from '../../../src/sandbox/issuer/step-faults.js';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { setUpAccount } from '../../../src/service/account/account-api.js';
import { sandbox } from '../../helpers/sandbox.js';
import { type Account, accountFor, countOf, EMAIL, expireStored, signedIn, signIn } from '../helpers.js';

const REGISTER = '/agent/identity';
const CLAIM = '/agent/identity/claim';
const COMPLETE = '/agent/identity/claim/complete';
const TOKEN = '/oauth2/token';

interface Row {
  readonly step: 'register' | 'claim' | 'complete';
  readonly code: StepFault;
  readonly outcome: 'ends' | 'restarts' | 'waits' | 'asks' | 'gives a fresh link' | 'has the user choose';
  /** Of the error, where it can't be helped. */
  readonly exit: number;
}

/** Service interface, Identity issuer error codes: what a sign-in has to do at its steps. */
const ROWS: readonly Row[] = [
  { step: 'register', code: 'invalid_request', outcome: 'ends', exit: 3 },
  { step: 'register', code: 'invalid_login_hint', outcome: 'ends', exit: 2 },
  { step: 'register', code: 'service_auth_registration_disabled', outcome: 'ends', exit: 4 },
  { step: 'claim', code: 'invalid_claim_token', outcome: 'restarts', exit: 4 },
  { step: 'claim', code: 'invalid_login_hint', outcome: 'ends', exit: 2 },
  { step: 'claim', code: 'claim_expired', outcome: 'restarts', exit: 4 },
  { step: 'claim', code: 'claim_revoked', outcome: 'restarts', exit: 4 },
  { step: 'claim', code: 'already_claimed', outcome: 'restarts', exit: 4 },
  { step: 'claim', code: 'auth_method_disabled', outcome: 'ends', exit: 4 },
  { step: 'claim', code: 'too_many_attempts', outcome: 'waits', exit: 5 },
  { step: 'complete', code: 'auth_method_disabled', outcome: 'ends', exit: 4 },
  { step: 'complete', code: 'claim_not_confirmed', outcome: 'waits', exit: 5 },
  { step: 'complete', code: 'invalid_user_code', outcome: 'asks', exit: 5 },
  { step: 'complete', code: 'user_code_expired', outcome: 'gives a fresh link', exit: 5 },
  { step: 'complete', code: 'claim_expired', outcome: 'restarts', exit: 4 },
  { step: 'complete', code: 'already_claimed', outcome: 'restarts', exit: 4 },
  { step: 'complete', code: 'claim_denied', outcome: 'restarts', exit: 4 },
  { step: 'complete', code: 'organization_selection_required', outcome: 'has the user choose', exit: 5 },
  { step: 'complete', code: 'stale_organization_selection', outcome: 'has the user choose', exit: 5 },
  // A refusal that the page doesn't know is not replayed.
  { step: 'register', code: 'claim_denied', outcome: 'ends', exit: 4 },
  { step: 'complete', code: 'invalid_grant', outcome: 'ends', exit: 3 },
];

const PATHS = { register: REGISTER, claim: CLAIM, complete: COMPLETE };

async function setup(t: TestContext): Promise<{ service: Sandbox; account: Account }> {
  const service = await sandbox(t, { retryAfterSeconds: 0.01 });
  return { service, account: await accountFor(t, service) };
}

async function codeOf(action: Promise<unknown>): Promise<TickhaulError> {
  return action.then(
    () => assert.fail('it should have failed'),
    (error: TickhaulError) => error,
  );
}

// Most of the time goes into waiting.
describe('the error table', { concurrency: 8 }, () => {
  for (const { step, code, outcome, exit } of ROWS) {
    test(`${step}: ${code} ${outcome}`, async (t) => {
      const { service, account } = await setup(t);
      service.issuer.failNext(step, code);
      const { events, result } = signIn(account);
      const of = (event: string): number => events.filter((one) => one.event === event).length;

      if (outcome === 'ends') {
        const error = await codeOf(result);
        assert.equal(error.exitCode, exit, error.message);
        assert.ok(error.message.includes(code) && !error.message.includes('\n'), error.message);
        assert.equal(countOf(service, PATHS[step]), 1);
        assert.deepEqual(await account.store.list(), []);
        return;
      }
      await result;
      const reasons = events.flatMap((event) => (event.event === 'code' ? event.reason : []));
      assert.equal(countOf(service, REGISTER), outcome === 'restarts' ? 2 : 1);
      assert.equal(of('restart'), outcome === 'restarts' ? 1 : 0);
      assert.equal(of('waiting'), outcome === 'waits' ? 1 : 0);
      assert.equal((await account.store.list()).length, 1);
      const links =
        outcome === 'gives a fresh link' || (outcome === 'restarts' && step === 'complete') ? 2 : 1;
      assert.equal(of('verification'), links);
      const isExpired = events.some((event) => event.event === 'verification' && event.reason === 'expired');
      assert.equal(isExpired, outcome === 'gives a fresh link');
      const asked = {
        asks: ['first', 'wrong'],
        'has the user choose': ['first', 'organization'],
        'gives a fresh link': ['first', 'first'],
        restarts: step === 'complete' ? ['first', 'first'] : ['first'],
        waits: ['first'],
      }[outcome];
      assert.deepEqual(reasons, asked);
    });

    test(`${step}: ${code} without end ${outcome}, and then exits with ${exit}`, async (t) => {
      const { service, account } = await setup(t);
      service.issuer.failNext(step, ...new Array<StepFault>(200).fill(code));
      const { result } = signIn(account, { timeoutMs: exit === 5 ? 700 : 60_000 });
      const error = await codeOf(result);
      assert.equal(error.exitCode, exit, error.message);
      if (outcome === 'restarts') {
        assert.equal(countOf(service, REGISTER), 2);
        assert.match(error.message, /a second registration was refused too: run tickhaul login again/);
      }
      assert.deepEqual(await account.store.list(), []);
    });
  }

  const STORED: readonly [step: 'token' | 'refresh', code: StepFault, error: ErrorCode, restarts: boolean][] =
    [
      ['token', 'invalid_request', 'not_signed_in', false],
      ['token', 'invalid_grant', 'not_signed_in', true],
      ['token', 'invalid_target', 'usage', false],
      ['token', 'unsupported_grant_type', 'rejected', false],
      ['refresh', 'invalid_refresh_token', 'not_signed_in', true],
    ];

  for (const [step, code, errorCode, restarts] of STORED) {
    test(`${step}: ${code} of a stored identity is ${errorCode}`, async (t) => {
      const { service, account } = await setup(t);
      let identity = await signedIn(account);
      if (step === 'refresh') identity = await expireStored(account, identity);
      const path = step === 'refresh' ? REGISTER : TOKEN;
      const before = countOf(service, path);
      service.issuer.failNext(step, code);
      const session = new AccountSession(account, identity);
      const error = await codeOf(session.authorized((token) => setUpAccount(account.calls, token)));
      assert.equal(error.code, errorCode, error.message);
      assert.equal(countOf(service, path), before + 1);
      assert.deepEqual(await account.store.read(account.issuer.host, EMAIL), identity);
      if (restarts) assert.match(error.message, /sign in again: tickhaul login/);
    });

    test(`${step}: ${code} ${restarts ? 'has a sign-in register anew, and say so' : 'ends a sign-in'}`, async (t) => {
      const { service, account } = await setup(t);
      let identity = await signedIn(account);
      if (step === 'refresh') identity = await expireStored(account, identity);
      service.issuer.failNext(step, code);
      const { events, result } = signIn(account);
      if (!restarts) {
        assert.equal((await codeOf(result)).code, errorCode);
        assert.deepEqual(await account.store.list(), [identity]);
        return;
      }
      assert.equal((await result).reused, false);
      assert.equal(events.find((event) => event.event === 'restart')?.reason, code);
      assert.notEqual((await account.store.list())[0]?.assertion, identity.assertion);
    });
  }

  const STEPS = ['register', 'claim', 'complete', 'token', 'account'] as const;

  for (const step of STEPS) {
    test(`${step}: failures that pass are asked again, and the rest of the ceremony goes on`, async (t) => {
      const { service, account } = await setup(t);
      service.issuer.failNext(step, '503', 'rate_limit_exceeded', 'reset', '500');
      const { events, result } = signIn(account);
      await result;
      assert.equal(events.filter((event) => event.event === 'restart').length, 0);
      assert.equal((await account.store.list()).length, 1);
    });

    for (const fault of ['not-json', 'missing-field', 'redirect'] as const) {
      test(`${step}: ${fault} is a bad answer, and is not asked again`, async (t) => {
        const { service, account } = await setup(t);
        service.issuer.failNext(step, fault);
        if (step === 'account' && fault === 'missing-field') {
          // The page promises no field of the account.
          assert.deepEqual((await signIn(account).result).account, {});
          return;
        }
        const error = await codeOf(signIn(account).result);
        assert.equal(error.code, 'bad_answer');
        assert.equal(service.requests.filter((request) => request.fault === fault).length, 1);
        const isVerified = step === 'token' || step === 'account';
        assert.equal((await account.store.list()).length, isVerified ? 1 : 0);
      });
    }
  }

  test('an answer that drips is broken off and asked again', async (t) => {
    const service = await sandbox(t);
    const account = await accountFor(t, service, { stallTimeoutMs: 500 });
    service.issuer.failNext('claim', 'stall');
    await signIn(account).result;
    assert.equal(countOf(service, CLAIM), 2);
  });

  test('a longer wait than --max-wait ends it at once', async (t) => {
    const service = await sandbox(t, { retryAfterSeconds: 100 });
    const account = await accountFor(t, service);
    service.issuer.failNext('register', 'rate_limit_exceeded');
    const error = await codeOf(signIn(account).result);
    assert.deepEqual([error.code, error.retryAfterMs], ['rate_limited', 100_000]);
    assert.equal(countOf(service, REGISTER), 1);
  });

  test('a lost answer to complete restarts at registration, since the identity is given once', async (t) => {
    const { service, account } = await setup(t);
    service.issuer.failNext('complete', 'lost-answer');
    const { events, result } = signIn(account);
    await result;
    assert.equal(events.find((event) => event.event === 'restart')?.reason, 'already_claimed');
  });
});
