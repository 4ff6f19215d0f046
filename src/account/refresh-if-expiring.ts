import { TickhaulError } from '../base/errors.js';
import { judgeError } from '../base/judge-error.js';
import { refreshIdentity } from '../service/account/issuer.js';
import type { AccountContext } from './account-context.js';
import { type Identity, isExpired, nearsExpiry } from './identities/identity.js';
import { runStep } from './sign-in/issuer-refusals.js';

/**
 * Refreshes an identity if its assertion expires soon. If several processes do so at once, one refreshes and the
 * others use the identity that it stored.
 * @throws IssuerRefusal for an invalid refresh token; TickhaulError `not_signed_in` if the identity was removed
 * meanwhile.
 */
export async function refreshIfExpiring(context: AccountContext, identity: Identity): Promise<Identity> {
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
export function createNotSignedInError(email: string | undefined): TickhaulError {
  const problem = email === undefined ? 'no identity is stored' : `no identity is stored for ${email}`;
  return new TickhaulError(
    'not_signed_in',
    `${problem}; sign in with tickhaul login --email ${email ?? '<address>'}`,
  );
}
