import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { AccountSession } from '../../../src/account/account-session.js';
import type { Identity } from '../../../src/account/identities/identity.js';
import { ERROR_TABLE, TickhaulError } from '../../../src/base/errors.js';
import { discoverIssuer, setUpAccount } from '../../../src/service/account/account-api.js';
import { parseJsonBody } from '../../../src/service/account/parse-json-body.js';
import { serve } from '../../service/loopback.js';
import { type Account, accountFor, EMAIL, jwtOf, signIn } from '../helpers.js';
import { answers, type RIGHT } from '../odd-answers.js';

/** An issuer and an API host in one, whose every answer is this one. */
interface Odd {
  readonly account: Account;
  answer(how: RequestListener): void;
  /** Requests that came to another origin than the one that was asked. */
  readonly strayed: () => number;
}

const PATIENCE_MS = 150;
const TIMEOUT_MS = 1000;

/** Most of a run is waiting: this many services are tried at once. */
const SERVICES = 6;

async function withOddServices(t: TestContext, work: (odd: Odd) => Promise<void>): Promise<void> {
  await Promise.all(
    Array.from({ length: SERVICES }, async () => {
      const odd = await oddService(t);
      await work(odd);
      assert.equal(odd.strayed(), 0);
    }),
  );
}

async function oddService(t: TestContext): Promise<Odd> {
  let current: RequestListener = (_, response) => response.end();
  let strayed = 0;
  const base = await serve(t, (request, response) => {
    request.resume();
    current(request, response);
  });
  const elsewhere = await serve(t, (_, response) => {
    strayed++;
    response.end('{}');
  });
  const account = await accountFor(
    t,
    { apiUrl: base, issuerUrl: base },
    { stallTimeoutMs: PATIENCE_MS, maxWaitMs: 20 },
  );
  return {
    account,
    strayed: () => strayed,
    answer: (how) => {
      current = (request, response) => {
        response.setHeader('x-elsewhere', elsewhere);
        how(request, response);
      };
    },
  };
}

/** Whether an answer's body holds just this identity. */
const isWhole =
  ({ assertion, refreshToken }: Identity) =>
  (body: string): boolean => {
    const { identity } = (parseJsonBody(Buffer.from(body)) ?? {}) as Partial<typeof RIGHT>;
    return identity?.assertion === assertion && identity.refresh_token?.value === refreshToken;
  };

const CODES = new Set<number>(Object.values(ERROR_TABLE).map(({ exitCode }) => exitCode));

/** Does it, and fails unless it ends well or with an error that tickhaul can name. */
async function endsInOrder(action: Promise<unknown>): Promise<boolean> {
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

test('whatever a service answers at any step, it ends in time, and only a whole identity is stored', async (t) => {
  await withOddServices(t, async (odd) => {
    const { account } = odd;
    const host = account.issuer.host;
    const kept = { assertion: jwtOf({ exp: 1 }), refreshToken: 'kept-refresh-token' };
    await fc.assert(
      fc.asyncProperty(
        fc.array(answers, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (list, stored) => {
          await account.store.remove();
          if (stored) await account.store.update(host, EMAIL, async () => kept);
          let next = 0;
          const sent: string[] = [];
          odd.answer((_, response) => {
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
          await endsInOrder(result);
          const left = await account.store.list();
          const before = stored ? [{ issuer: host, email: EMAIL, ...kept }] : [];
          if (!isDeepStrictEqual(left, before)) assert.ok(left.every((one) => sent.some(isWhole(one))));
        },
      ),
      { numRuns: 10, endOnFailure: true },
    );
  });
});

test('whatever a service answers, a stored identity that is used stays, or is replaced by a whole one', async (t) => {
  await withOddServices(t, async (odd) => {
    const { account } = odd;
    await fc.assert(
      fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 3 }), async (list) => {
        const kept = { assertion: jwtOf({ exp: 1 }), refreshToken: 'kept-refresh-token' };
        const identity = await account.store.update(account.issuer.host, EMAIL, async () => kept);
        let next = 0;
        odd.answer((_, response) => list[next++ % list.length]?.(response));
        const session = new AccountSession(account, identity);
        await endsInOrder(session.authorized((token) => setUpAccount(account.calls, token)));
        const [left] = await account.store.list();
        assert.ok(left && typeof left.assertion === 'string' && typeof left.refreshToken === 'string');
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });
});

test('whatever is announced as the issuer, it is an https address or an error', async (t) => {
  await withOddServices(t, async (odd) => {
    await fc.assert(
      fc.asyncProperty(answers, async (respond) => {
        odd.answer((_, response) => respond(response));
        await endsInOrder(
          discoverIssuer(odd.account.calls).then(({ url }) => {
            assert.match(url, /^https:|^http:\/\/(127\.|localhost|\[::1\])/);
          }),
        );
      }),
      { numRuns: 5, endOnFailure: true },
    );
  });
});
