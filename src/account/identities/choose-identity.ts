import { usageError } from '../../base/errors.js';
import type { AccountContext } from '../account-context.js';
import { createNotSignedInError } from '../refresh-if-expiring.js';
import { parseEmail } from '../sign-in/parse-email.js';
import { assertMadeFor, type Identity } from './identity.js';

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
