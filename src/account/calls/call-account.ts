import { usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import { callOperation, fetchDescription, type JsonObject } from '../../service/account/account-api.js';
import type { CallContext } from '../../service/account/json-call.js';
import { RefusedError } from '../../service/account/refused-error.js';
import type { AccountSession } from '../account-session.js';
import { type AccountOperation, listOperations } from './list-operations.js';
import { createOperationRequest } from './operation-request.js';

/** Opens the session of the stored identity; called only if the service requires a token. */
export type OpenSession = () => Promise<AccountSession>;

/** Lists the operations of the account API from its OpenAPI description. */
export async function describeOperations(
  context: CallContext,
  openSession: OpenSession,
): Promise<readonly AccountOperation[]> {
  return listOperations(await loadDescription(context, openSession));
}

/**
 * Calls an account operation. Its description says where each parameter is sent.
 * @returns the JSON of the response; undefined if the body is empty.
 * @throws usage error for an unknown operation, with a similar name, and for an unknown or missing parameter.
 */
export async function callAccount(
  context: CallContext,
  openSession: OpenSession,
  operationId: string,
  data: unknown,
): Promise<unknown> {
  const operations = await describeOperations(context, openSession);
  const operation = operations.find(({ id }) => id === operationId);
  if (!operation) {
    const suggestion = didYouMean(
      operationId,
      operations.map(({ id }) => id),
    );
    throw usageError(`unknown operation "${operationId}"${suggestion}; see tickhaul account --operations`);
  }
  const request = createOperationRequest(operation, data);
  const session = await openSession();
  return session.authorized((token) => callOperation(context, request, token));
}

/** The description may be public, so the token is sent only if the service requires it. */
async function loadDescription(context: CallContext, openSession: OpenSession): Promise<JsonObject> {
  try {
    return await fetchDescription(context, undefined);
  } catch (error) {
    if (!(error instanceof RefusedError) || (error.status !== 401 && error.status !== 403)) throw error;
    const session = await openSession();
    return session.authorized((token) => fetchDescription(context, token));
  }
}
