import { type AccessToken, exchangeAssertion } from '../service/account/issuer.js';
import { RefusedError } from '../service/account/refused-error.js';
import type { AccountContext } from './account-context.js';
import type { Identity } from './identities/identity.js';
import { refreshIfExpiring } from './refresh-if-expiring.js';
import { IssuerRefusal, runStep } from './sign-in/issuer-refusals.js';

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
