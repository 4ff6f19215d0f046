import * as z from 'zod';
import { TickhaulError } from '../../base/errors.js';
import { createParser } from '../records/record-schema.js';
import type { ParseResponse } from '../service-config.js';
import { type Issuer, parseIssuer } from './issuer.js';
import { assertSecureUrl, type CallContext, callJson, type JsonCall } from './json-call.js';
import { RefusedError } from './refused-error.js';

const DISCOVERY = '/.well-known/oauth-protected-resource';

/** Protected resource metadata (RFC 9728, section 2). */
const checkResource = createParser(
  z.object({
    resource: z.string().optional(),
    authorization_servers: z.array(z.string()).min(1),
    token_endpoint: z.string().optional(),
  }),
);
const checkObject = createParser(z.record(z.string(), z.unknown()));

/** A JSON object whose fields are the service's own affair. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Asks the API host which issuer guards it (service interface, Account API).
 * @throws TickhaulError `bad_answer` where none is announced, or where the announcement is another host's or
 * sends tokens to one; usage error for an issuer without https.
 */
export async function discoverIssuer(context: CallContext): Promise<Issuer> {
  const { apiUrl } = context.client.config;
  const url = apiUrl + DISCOVERY;
  const refuse = (what: string): never => {
    throw new TickhaulError('bad_answer', `${url}: ${what}; name the issuer with --auth-url`);
  };
  const found = await callJson(context, { method: 'GET', url }, checkResource).catch((error: unknown) => {
    if (error instanceof RefusedError) return refuse(`no issuer is announced (${error.status})`);
    throw error;
  });
  // Another host's announcement must not be believed (RFC 9728, section 3.3).
  if (found.resource !== undefined && parseOrigin(found.resource) !== parseOrigin(apiUrl)) {
    return refuse('the answer is about another service');
  }
  const issuer = parseIssuer(found.authorization_servers[0] ?? '', url);
  if (found.token_endpoint !== undefined && parseOrigin(found.token_endpoint) !== parseOrigin(issuer.url)) {
    return refuse("the token endpoint is not on the issuer's host");
  }
  return issuer;
}

/**
 * Makes sure that the account API's host may be sent tokens, before anybody goes to the trouble of getting one.
 * @throws usage error for an address without https; plain http is taken on loopback only.
 */
export function assertSecureApiHost({ client }: CallContext): void {
  assertSecureUrl(new URL(client.config.apiUrl));
}

/** Completes account setup: creates the account or returns the existing one; its fields are kept as they are. */
export function setUpAccount(context: CallContext, accessToken: string): Promise<JsonObject> {
  // Said to be safe to retry (service interface, Account API).
  return callApi(context, { method: 'POST', path: '/v1/account' }, accessToken, checkObject, true);
}

/** The OpenAPI description of the account operations. @param accessToken where the service asks for one. */
export function fetchDescription(context: CallContext, accessToken: string | undefined): Promise<JsonObject> {
  const operation = { method: 'GET', path: '/v1/account/openapi.json' };
  return callApi(context, operation, accessToken, checkObject);
}

/** One request of an account operation, made from its description. */
export interface OperationRequest {
  readonly method: string;
  /** Path and query, beginning with `/`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Calls any account operation. @returns what the service answers; undefined for nothing. */
export function callOperation(
  context: CallContext,
  operation: OperationRequest,
  accessToken: string,
): Promise<unknown> {
  return callApi(context, operation, accessToken, (json) => json);
}

/** Methods that do no more when done twice (RFC 9110, section 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

function callApi<T>(
  context: CallContext,
  { method, path, headers, body }: OperationRequest,
  accessToken: string | undefined,
  check: ParseResponse<T>,
  repeatable = IDEMPOTENT.has(method),
): Promise<T> {
  const call: JsonCall = {
    method,
    url: context.client.config.apiUrl + path,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
      ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
    },
    body,
    repeatable,
  };
  return callJson(context, call, check);
}

function parseOrigin(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}
