import { usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import { callOperation, fetchDescription, type JsonObject } from '../../service/account/account-api.js';
import type { CallContext } from '../../service/account/json-call.js';
import { RefusedError } from '../../service/account/refused-error.js';
import type { AccountSession } from '../account-session.js';
import { type AccountOperation, listOperations } from './list-operations.js';
import { createOperationRequest } from './operation-request.js';

/** Where an access token comes from, for a service that asks for one. */
export type OpenSession = () => Promise<AccountSession>;

/** What the account API can do, by its own description. */
export async function describeOperations(
  context: CallContext,
  openSession: OpenSession,
): Promise<readonly AccountOperation[]> {
  return listOperations(await description(context, openSession));
}

/**
 * Calls an account operation with parameters that are checked by its description.
 * @returns what the service answers; undefined for nothing.
 * @throws usage error for an operation that isn't there, with the nearest, and for wrong parameters.
 */
export async function callAccount(
  context: CallContext,
  openSession: OpenSession,
  operationId: string,
  data: unknown,
): Promise<unknown> {
  const document = await description(context, openSession);
  const operations = listOperations(document);
  const operation = operations.find(({ id }) => id === operationId);
  if (!operation) {
    const near = didYouMean(
      operationId,
      operations.map(({ id }) => id),
    );
    throw usageError(`unknown operation "${operationId}"${near}; see tickhaul account --operations`);
  }
  const request = createOperationRequest(document, operation, data);
  const session = await openSession();
  return session.authorized((token) => callOperation(context, request, token));
}

/** The page doesn't say whether the description is for everybody; the token is sent only where it must be. */
async function description(context: CallContext, openSession: OpenSession): Promise<JsonObject> {
  try {
    return await fetchDescription(context, undefined);
  } catch (error) {
    if (!(error instanceof RefusedError) || (error.status !== 401 && error.status !== 403)) throw error;
    const session = await openSession();
    return session.authorized((token) => fetchDescription(context, token));
  }
}
