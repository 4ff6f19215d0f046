import type { Issuer } from '../service/account/issuer.js';
import type { CallContext } from '../service/account/json-call.js';
import type { IdentityStore } from './identities/identity-store.js';

/** What signing in and using an account need. */
export interface AccountContext {
  readonly calls: CallContext;
  readonly issuer: Issuer;
  readonly store: IdentityStore;
}
