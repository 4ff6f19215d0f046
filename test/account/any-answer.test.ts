import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { AccountSession } from '../../src/account/account-session.js';
import type { Identity } from '../../src/account/identity.js';
import { ERROR_TABLE, TickhaulError } from '../../src/base/errors.js';
import { discoverIssuer, setUpAccount } from '../../src/service/account-api.js';
import { parseJsonBody } from '../../src/service/read-error-response.js';
import { rounds } from '../helpers/services.js';
import { serve } from '../service/loopback.js';
import { type Account, createAccount, createJwt, EMAIL, signIn } from './helpers.js';
import { answers, type VALID_RESPONSE } from './odd-answers.js';

/** A server that is both issuer and API host and sends the given response to every request. */
interface OddService {
  readonly account: Account;
  setResponse(respond: RequestListener): void;
  /** Number of requests to another origin. */
  readonly redirected: () => number;
}

const STALL_TIMEOUT_MS = 150;
const TIMEOUT_MS = 1000;

/** Number of services to test at once, since a run mostly waits. */
const SERVICES = 6;

async function withOddServices(t: TestContext, work: (service: OddService) => Promise<void>): Promise<void> {
  await Promise.all(
    Array.from({ length: SERVICES }, async () => {
      const service = await startOddService(t);
      await work(service);
      assert.equal(service.redirected(), 0);
    }),
  );
}

async function startOddService(t: TestContext): Promise<OddService> {
  let current: RequestListener = (_, response) => response.end();
  let redirected = 0;
  const base = await serve(t, (request, response) => {
    request.resume();
    current(request, response);
  });
  const elsewhere = await serve(t, (_, response) => {
    redirected++;
    response.end('{}');
  });
  const account = await createAccount(
    t,
    { apiUrl: base, issuerUrl: base },
    { stallTimeoutMs: STALL_TIMEOUT_MS, maxWaitMs: 20 },
  );
  return {
    account,
    redirected: () => redirected,
    setResponse: (respond) => {
      current = (request, response) => {
        response.setHeader('x-elsewhere', elsewhere);
        respond(request, response);
      };
    },
  };
}

/** Creates a test of whether a response body contains exactly this identity. */
const containsIdentity =
  ({ assertion, refreshToken }: Identity) =>
  (body: string): boolean => {
    const { identity } = (parseJsonBody(body) ?? {}) as Partial<typeof VALID_RESPONSE>;
    return identity?.assertion === assertion && identity.refresh_token?.value === refreshToken;
  };

const CODES = new Set<number>(Object.values(ERROR_TABLE).map(({ exitCode }) => exitCode));

/** Waits for an action and asserts that it succeeds or fails with a TickhaulError. */
async function assertKnownOutcome(action: Promise<unknown>): Promise<boolean> {
  try {
    await action;
    return true;
  } catch (error) {
    assert.ok(error instanceof TickhaulError, String((error as Error).stack));
    assert.ok(CODES.has(error.exitCode) && error.exitCode !== 1, error.code);
    assert.ok(!/\p{Cc}/u.test(error.message), error.message);
    return false;
  }
}

test('with any responses, a sign-in ends in time and stores only a complete identity', async (t) => {
  await withOddServices(t, async (service) => {
    const { account } = service;
    const host = account.issuer.host;
    const storedSecrets = { assertion: createJwt({ exp: 1 }), refreshToken: 'kept-refresh-token' };
    await fc.assert(
      fc.asyncProperty(
        fc.array(answers, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (list, stored) => {
          await account.store.remove();
          if (stored) await account.store.update(host, EMAIL, async () => storedSecrets);
          let next = 0;
          const sent: string[] = [];
          service.setResponse((_, response) => {
            const respond = list[next++ % list.length];
            const end = response.end.bind(response);
            response.end = ((body?: string) => {
              if (body !== undefined && response.statusCode < 300) sent.push(body);
              return end(body);
            }) as typeof response.end;
            respond?.(response);
          });
          const { result } = signIn(account, {
            timeoutMs: TIMEOUT_MS,
            pauseMs: 1,
            askCode: async () => 'code',
          });
          await assertKnownOutcome(result);
          const remaining = await account.store.list();
          const api = account.store.api;
          const before = stored ? [{ issuer: host, api, email: EMAIL, ...storedSecrets }] : [];
          if (!isDeepStrictEqual(remaining, before))
            assert.ok(remaining.every((identity) => sent.some(containsIdentity(identity))));
        },
      ),
      { numRuns: rounds(10), endOnFailure: true },
    );
  });
});

test('with any responses, a stored identity stays or is replaced by a complete one', async (t) => {
  await withOddServices(t, async (service) => {
    const { account } = service;
    await fc.assert(
      fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 3 }), async (list) => {
        const storedSecrets = { assertion: createJwt({ exp: 1 }), refreshToken: 'kept-refresh-token' };
        const identity = await account.store.update(account.issuer.host, EMAIL, async () => storedSecrets);
        let next = 0;
        service.setResponse((_, response) => list[next++ % list.length]?.(response));
        const session = new AccountSession(account, identity);
        await assertKnownOutcome(session.authorized((token) => setUpAccount(account.calls, token)));
        const [remaining] = await account.store.list();
        assert.ok(
          remaining && typeof remaining.assertion === 'string' && typeof remaining.refreshToken === 'string',
        );
      }),
      { numRuns: rounds(4), endOnFailure: true },
    );
  });
});

test('with any announcement, the issuer is an https address or discovery fails', async (t) => {
  await withOddServices(t, async (service) => {
    await fc.assert(
      fc.asyncProperty(answers, async (respond) => {
        service.setResponse((_, response) => respond(response));
        await assertKnownOutcome(
          discoverIssuer(service.account.calls).then(({ url }) => {
            assert.match(url, /^https:|^http:\/\/(127\.|localhost|\[::1\])/);
          }),
        );
      }),
      { numRuns: rounds(5), endOnFailure: true },
    );
  });
});
