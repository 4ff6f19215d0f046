import type { Issuer } from '../service/issuer.js';
import type { CallContext } from '../service/json-call.js';
import type { IdentityStore } from './identity-store.js';

/** What signing in and using an account need. */
export interface AccountContext {
  readonly calls: CallContext;
  readonly issuer: Issuer;
  readonly store: IdentityStore;
}
