import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { AccountSession } from '../../src/account/account-session.js';
import type { ErrorCode, TickhaulError } from '../../src/base/errors.js';
import type { StepFault } from '../../src/sandbox/issuer/issuer-steps.js';
import { setUpAccount } from '../../src/service/account-api.js';
import { countPosts, EMAIL, expireStored, sandboxAccount, signIn, storeNewIdentity } from './helpers.js';

const REGISTER = '/agent/identity';
const CLAIM = '/agent/identity/claim';
const COMPLETE = '/agent/identity/claim/complete';
const TOKEN = '/oauth2/token';

interface Row {
  readonly step: 'register' | 'claim' | 'complete';
  readonly code: StepFault;
  readonly outcome: 'fails' | 'restarts' | 'waits' | 'asks' | 'creates a new link' | 'asks for a selection';
  /** Exit code if the issuer always refuses. */
  readonly exit: number;
}

/** Handling of the error codes in `docs/spec/account-api.md#issuer-error-codes` during a sign-in. */
const ROWS: readonly Row[] = [
  { step: 'register', code: 'invalid_request', outcome: 'fails', exit: 3 },
  { step: 'register', code: 'invalid_login_hint', outcome: 'fails', exit: 2 },
  { step: 'register', code: 'service_auth_registration_disabled', outcome: 'fails', exit: 4 },
  { step: 'claim', code: 'invalid_claim_token', outcome: 'restarts', exit: 4 },
  { step: 'claim', code: 'invalid_login_hint', outcome: 'fails', exit: 2 },
  { step: 'claim', code: 'claim_expired', outcome: 'restarts', exit: 4 },
  { step: 'claim', code: 'claim_revoked', outcome: 'restarts', exit: 4 },
  { step: 'claim', code: 'already_claimed', outcome: 'restarts', exit: 4 },
  { step: 'claim', code: 'auth_method_disabled', outcome: 'fails', exit: 4 },
  { step: 'claim', code: 'too_many_attempts', outcome: 'waits', exit: 5 },
  { step: 'complete', code: 'auth_method_disabled', outcome: 'fails', exit: 4 },
  { step: 'complete', code: 'claim_not_confirmed', outcome: 'waits', exit: 5 },
  { step: 'complete', code: 'invalid_user_code', outcome: 'asks', exit: 5 },
  { step: 'complete', code: 'user_code_expired', outcome: 'creates a new link', exit: 5 },
  { step: 'complete', code: 'claim_expired', outcome: 'restarts', exit: 4 },
  { step: 'complete', code: 'already_claimed', outcome: 'restarts', exit: 4 },
  { step: 'complete', code: 'claim_denied', outcome: 'restarts', exit: 4 },
  { step: 'complete', code: 'organization_selection_required', outcome: 'asks for a selection', exit: 5 },
  { step: 'complete', code: 'stale_organization_selection', outcome: 'asks for a selection', exit: 5 },
  // Refusals that are not in the table are not repeated.
  { step: 'register', code: 'claim_denied', outcome: 'fails', exit: 4 },
  { step: 'complete', code: 'invalid_grant', outcome: 'fails', exit: 3 },
];

const PATHS = { register: REGISTER, claim: CLAIM, complete: COMPLETE };

const setup = (t: TestContext) => sandboxAccount(t, { retryAfterSeconds: 0.01 });

async function readFailure(action: Promise<unknown>): Promise<TickhaulError> {
  return action.then(
    () => assert.fail('it should have failed'),
    (error: TickhaulError) => error,
  );
}

// The tests mostly wait.
describe('the error table', { concurrency: 8 }, () => {
  for (const { step, code, outcome, exit } of ROWS) {
    test(`${step}: ${code} ${outcome}`, async (t) => {
      const { service, account } = await setup(t);
      service.issuer.failNext(step, code);
      const { events, result } = signIn(account);
      const count = (event: string): number => events.filter((candidate) => candidate.event === event).length;

      if (outcome === 'fails') {
        const error = await readFailure(result);
        assert.equal(error.exitCode, exit, error.message);
        assert.ok(error.message.includes(code) && !error.message.includes('\n'), error.message);
        assert.equal(countPosts(service, PATHS[step]), 1);
        assert.deepEqual(await account.store.list(), []);
        return;
      }
      await result;
      const reasons = events.flatMap((event) => (event.event === 'code' ? event.reason : []));
      assert.equal(countPosts(service, REGISTER), outcome === 'restarts' ? 2 : 1);
      assert.equal(count('restart'), outcome === 'restarts' ? 1 : 0);
      assert.equal(count('waiting'), outcome === 'waits' ? 1 : 0);
      assert.equal((await account.store.list()).length, 1);
      const links =
        outcome === 'creates a new link' || (outcome === 'restarts' && step === 'complete') ? 2 : 1;
      assert.equal(count('verification'), links);
      const isExpired = events.some((event) => event.event === 'verification' && event.reason === 'expired');
      assert.equal(isExpired, outcome === 'creates a new link');
      const expectedReasons = {
        asks: ['first', 'wrong'],
        'asks for a selection': ['first', 'organization'],
        'creates a new link': ['first', 'first'],
        restarts: step === 'complete' ? ['first', 'first'] : ['first'],
        waits: ['first'],
      }[outcome];
      assert.deepEqual(reasons, expectedReasons);
    });

    // What fails at once is never repeated.
    if (outcome === 'fails') continue;
    test(`${step}: repeated ${code} ${outcome} and then fails with exit code ${exit}`, async (t) => {
      const { service, account } = await setup(t);
      service.issuer.failNext(step, ...new Array<StepFault>(200).fill(code));
      const { result } = signIn(account, { timeoutMs: exit === 5 ? 700 : 60_000 });
      const error = await readFailure(result);
      assert.equal(error.exitCode, exit, error.message);
      if (outcome === 'restarts') {
        assert.equal(countPosts(service, REGISTER), 2);
        assert.match(error.message, /a second registration was refused too; run tickhaul login again/);
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
      let identity = await storeNewIdentity(account);
      if (step === 'refresh') identity = await expireStored(account, identity);
      const path = step === 'refresh' ? REGISTER : TOKEN;
      const before = countPosts(service, path);
      service.issuer.failNext(step, code);
      const session = new AccountSession(account, identity);
      const error = await readFailure(session.authorized((token) => setUpAccount(account.calls, token)));
      assert.equal(error.code, errorCode, error.message);
      assert.equal(countPosts(service, path), before + 1);
      assert.deepEqual(await account.store.read(account.issuer.host, EMAIL), identity);
      if (restarts) assert.match(error.message, /sign in again with tickhaul login/);
    });

    test(`${step}: ${code} ${restarts ? 'makes a sign-in register again' : 'fails a sign-in'}`, async (t) => {
      const { service, account } = await setup(t);
      let identity = await storeNewIdentity(account);
      if (step === 'refresh') identity = await expireStored(account, identity);
      service.issuer.failNext(step, code);
      const { events, result } = signIn(account);
      if (!restarts) {
        assert.equal((await readFailure(result)).code, errorCode);
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
    test(`${step}: retries temporary errors and continues the sign-in`, async (t) => {
      const { service, account } = await setup(t);
      service.issuer.failNext(step, '503', 'rate_limit_exceeded', 'reset', '500');
      const { events, result } = signIn(account);
      await result;
      assert.equal(events.filter((event) => event.event === 'restart').length, 0);
      assert.equal((await account.store.list()).length, 1);
    });

    for (const fault of ['not-json', 'missing-field', 'redirect'] as const) {
      test(`${step}: ${fault} is an invalid response and is not retried`, async (t) => {
        const { service, account } = await setup(t);
        service.issuer.failNext(step, fault);
        if (step === 'account' && fault === 'missing-field') {
          // The page promises no field of the account.
          assert.deepEqual((await signIn(account).result).account, {});
          return;
        }
        const error = await readFailure(signIn(account).result);
        assert.equal(error.code, 'bad_answer');
        assert.equal(service.requests.filter((request) => request.fault === fault).length, 1);
        const isVerified = step === 'token' || step === 'account';
        assert.equal((await account.store.list()).length, isVerified ? 1 : 0);
      });
    }
  }

  test('aborts a response that arrives too slowly and retries', async (t) => {
    const { service, account } = await sandboxAccount(t, {}, { stallTimeoutMs: 500 });
    service.issuer.failNext('claim', 'stall');
    await signIn(account).result;
    // On a busy machine, others may be too late as well.
    assert.ok(countPosts(service, CLAIM) >= 2);
  });

  test('a longer wait than --max-wait fails at once', async (t) => {
    const { service, account } = await sandboxAccount(t, { retryAfterSeconds: 100 });
    service.issuer.failNext('register', 'rate_limit_exceeded');
    const error = await readFailure(signIn(account).result);
    assert.deepEqual([error.code, error.retryAfterMs], ['rate_limited', 100_000]);
    assert.equal(countPosts(service, REGISTER), 1);
  });

  test('restarts at registration if the response with the identity is lost', async (t) => {
    const { service, account } = await setup(t);
    service.issuer.failNext('complete', 'lost-answer');
    const { events, result } = signIn(account);
    await result;
    assert.equal(events.find((event) => event.event === 'restart')?.reason, 'already_claimed');
  });
});
