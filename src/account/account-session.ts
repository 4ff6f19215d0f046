import { judgeError, TickhaulError, usageError } from '../base/errors.js';
import { type AccessToken, exchangeAssertion, type Issuer, refreshIdentity } from '../service/issuer.js';
import { type CallContext, RefusedError } from '../service/json-call.js';
import { assertMadeFor, type Identity, isExpired, nearsExpiry, parseEmail } from './identity.js';
import type { IdentityStore } from './identity-store.js';
import { IssuerRefusal, runStep } from './issuer-refusals.js';

/** Shared dependencies of sign-in and account calls. */
export interface AccountContext {
  readonly calls: CallContext;
  readonly issuer: Issuer;
  readonly store: IdentityStore;
}

/** Lifetime of an access token if the issuer sends none (`docs/spec/account-api.md#sign-in`). */
const DEFAULT_LIFETIME_S = 600;
/** Share of its lifetime for which a token is used. */
const USED_LIFETIME_RATIO = 0.9;

/** An identity in use. It is exchanged for access tokens when needed; these stay in memory only. */
export class AccountSession {
  readonly #context: AccountContext;
  #identity: Identity;
  #token: { readonly value: string; readonly endMs: number } | undefined;

  constructor(context: AccountContext, identity: Identity) {
    context.calls.secrets.add(identity.assertion);
    context.calls.secrets.add(identity.refreshToken);
    this.#context = context;
    this.#identity = identity;
  }

  /**
   * Calls the account API with an access token. After a 401 it exchanges the assertion for a new token, once.
   * @throws IssuerRefusal, with `restart` if the identity is no longer valid; errors of the call.
   */
  async authorized<T>(call: (accessToken: string) => Promise<T>): Promise<T> {
    // Outside the try block: after a 401 of the issuer, a second exchange would fail in the same way.
    const token = await this.#accessToken();
    try {
      return await call(token);
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== 401) throw error;
      this.#token = undefined;
      return call(await this.#accessToken());
    }
  }

  async #accessToken(): Promise<string> {
    if (this.#token && performance.now() < this.#token.endMs) return this.#token.value;
    const requestedMs = performance.now();
    const { value, expiresIn = DEFAULT_LIFETIME_S } = await this.#exchange();
    this.#token = { value, endMs: requestedMs + expiresIn * 1000 * USED_LIFETIME_RATIO };
    return value;
  }

  async #exchange(): Promise<AccessToken> {
    const { calls, issuer, store } = this.#context;
    const exchange = ({ assertion }: Identity): Promise<AccessToken> =>
      runStep('exchange', () => exchangeAssertion(calls, issuer, assertion));
    this.#identity = await refreshIfExpiring(this.#context, this.#identity);
    try {
      return await exchange(this.#identity);
    } catch (error) {
      if (!(error instanceof IssuerRefusal) || error.handling !== 'restart') throw error;
      // Another process may have refreshed the identity, which makes the earlier assertion invalid.
      const stored = await store.read(this.#identity.issuer, this.#identity.email);
      if (!stored || stored.assertion === this.#identity.assertion) throw error;
      this.#identity = stored;
      return exchange(stored);
    }
  }
}

/**
 * Refreshes an identity if its assertion expires soon. If several processes do so at once, one refreshes and the
 * others use the identity that it stored.
 * @throws IssuerRefusal for an invalid refresh token; TickhaulError `not_signed_in` if the identity was removed
 * meanwhile.
 */
async function refreshIfExpiring(context: AccountContext, identity: Identity): Promise<Identity> {
  const { calls, issuer, store } = context;
  if (!nearsExpiry(identity.assertion, Date.now())) return identity;
  try {
    return await store.update(identity.issuer, identity.email, async (current) => {
      if (!current) throw createNotSignedInError(identity.email);
      if (current.assertion !== identity.assertion) return current;
      return runStep('refresh', () => refreshIdentity(calls, issuer, current.refreshToken));
    });
  } catch (error) {
    const mayBeTemporary = error instanceof TickhaulError && judgeError(error).canRepeatRequest;
    if (mayBeTemporary && !isExpired(identity.assertion, Date.now())) return identity;
    throw error;
  }
}

/** Creates the error for a missing identity. @param email undefined if none was given. */
function createNotSignedInError(email: string | undefined): TickhaulError {
  const problem = email === undefined ? 'no identity is stored' : `no identity is stored for ${email}`;
  return new TickhaulError(
    'not_signed_in',
    `${problem}; sign in with tickhaul login --email ${email ?? '<address>'}`,
  );
}

/**
 * Finds the stored identity of an e-mail, or without an e-mail the only identity of the issuer and the API.
 * @throws TickhaulError `not_signed_in` if there is none, or only one of another API; usage error if the issuer has several.
 */
export async function chooseIdentity(
  { store, issuer }: AccountContext,
  email: string | undefined,
): Promise<Identity> {
  if (email !== undefined) {
    const identity = await store.read(issuer.host, parseEmail(email));
    if (!identity) throw createNotSignedInError(email);
    return identity;
  }
  const ofIssuer = (await store.list()).filter((identity) => identity.issuer === issuer.host);
  const identities = ofIssuer.filter(({ api }) => api === store.api);
  const first = identities[0] ?? ofIssuer[0];
  if (!first) throw createNotSignedInError(undefined);
  if (identities.length > 1) {
    const emails = identities.map((identity) => identity.email).sort();
    throw usageError(`several identities are stored; choose one with --email (${emails.join(', ')})`);
  }
  return assertMadeFor(store.api, first);
}
