import { usageError } from '../../base/errors.js';
import type { AccountContext } from '../account-context.js';
import { createNotSignedInError } from '../refresh-if-expiring.js';
import { parseEmail } from '../sign-in/parse-email.js';
import type { Identity } from './identity.js';

/**
 * The stored identity of an e-mail, or the only one of the issuer.
 * @throws TickhaulError `not_signed_in` where there is none; usage error where there are several to choose from.
 */
export async function chooseIdentity(
  { store, issuer }: AccountContext,
  email: string | undefined,
): Promise<Identity> {
  if (email !== undefined) {
    const found = await store.read(issuer.host, parseEmail(email));
    if (!found) throw createNotSignedInError(email);
    return found;
  }
  const here = (await store.list()).filter((identity) => identity.issuer === issuer.host);
  const [only] = here;
  if (!only) throw createNotSignedInError(undefined);
  if (here.length > 1) {
    const emails = here.map((identity) => identity.email).sort();
    throw usageError(`several identities are stored: choose one with --email (${emails.join(', ')})`);
  }
  return only;
}
