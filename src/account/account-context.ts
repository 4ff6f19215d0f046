import type { Issuer } from '../service/account/issuer.js';
import type { CallContext } from '../service/account/json-call.js';
import type { IdentityStore } from './identities/identity-store.js';

/** Shared dependencies of sign-in and account calls. */
export interface AccountContext {
  readonly calls: CallContext;
  readonly issuer: Issuer;
  readonly store: IdentityStore;
}
