import { TickhaulError } from '../base/errors.js';
import { refreshIdentity } from '../service/account/issuer.js';
import type { AccountContext } from './account-context.js';
import { type Identity, isExpired, nearsExpiry } from './identities/identity.js';
import { runStep } from './sign-in/issuer-refusals.js';

/**
 * The identity, refreshed where its assertion nears its end. Of many processes that find it so at once, one
 * refreshes, and the others take what it stored.
 * @throws IssuerRefusal for a refresh token that is void; TickhaulError `not_signed_in` where the identity was
 * forgotten meanwhile.
 */
export async function refreshIfExpiring(context: AccountContext, known: Identity): Promise<Identity> {
  const { calls, issuer, store } = context;
  if (!nearsExpiry(known.assertion, Date.now())) return known;
  try {
    return await store.update(known.issuer, known.email, async (current) => {
      if (!current) throw createNotSignedInError(known.email);
      if (current.assertion !== known.assertion) return current;
      return runStep('refresh', () => refreshIdentity(calls, issuer, current.refreshToken));
    });
  } catch (error) {
    const mayStillServe = error instanceof TickhaulError && error.canRetry;
    if (mayStillServe && !isExpired(known.assertion, Date.now())) return known;
    throw error;
  }
}

/** @param email for which nothing is stored. */
export function createNotSignedInError(email: string | undefined): TickhaulError {
  const who = email === undefined ? 'no identity is stored' : `no identity of ${email} is stored`;
  return new TickhaulError(
    'not_signed_in',
    `${who}: sign in with tickhaul login --email ${email ?? '<address>'}`,
  );
}
