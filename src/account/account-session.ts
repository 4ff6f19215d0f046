import { type AccessToken, exchangeAssertion } from '../service/account/issuer.js';
import { RefusedError } from '../service/account/refused-error.js';
import type { AccountContext } from './account-context.js';
import type { Identity } from './identities/identity.js';
import { refreshIfExpiring } from './refresh-if-expiring.js';
import { IssuerRefusal, runStep } from './sign-in/issuer-refusals.js';

/** Seconds that an access token lives where the issuer doesn't tell (service interface, Authentication, step 5). */
const USUAL_LIFE_S = 600;
/** Of that life, the part in which a token is used. */
const USED_SHARE = 0.9;

/** An identity in use: access tokens are made of it as they are needed, and kept in memory only. */
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
   * Calls the account API. A 401 has the token exchanged anew, once.
   * @throws IssuerRefusal, with `restart` where the identity is of no use; what the call throws.
   */
  async authorized<T>(call: (accessToken: string) => Promise<T>): Promise<T> {
    // A 401 of the issuer is not meant: it would be asked the same again.
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
    const asked = performance.now();
    const { value, expiresIn = USUAL_LIFE_S } = await this.#exchange();
    this.#token = { value, endMs: asked + expiresIn * 1000 * USED_SHARE };
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
      // Another process may have refreshed it, which ends the assertion that was read before.
      const stored = await store.read(this.#identity.issuer, this.#identity.email);
      if (!stored || stored.assertion === this.#identity.assertion) throw error;
      this.#identity = stored;
      return exchange(stored);
    }
  }
}
