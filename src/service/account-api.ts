import * as z from 'zod';
import { TickhaulError } from '../base/errors.js';
import { type Issuer, parseIssuer } from './issuer.js';
import { assertSecureUrl, type CallContext, callJson, type JsonCall, RefusedError } from './json-call.js';
import { createParser } from './records/response-schemas.js';
import type { ParseResponse } from './service-client.js';

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

/** A JSON object with fields that only the service defines. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Fetches the address of the issuer that the API host announces (`docs/spec/account-api.md#issuer-discovery`).
 * @throws TickhaulError `bad_answer` if no issuer is announced, if the metadata describes another host, or if its
 * token endpoint is on another host; usage error for an issuer without https.
 */
export async function discoverIssuer(context: CallContext): Promise<Issuer> {
  const { apiUrl } = context.client.config;
  const url = apiUrl + DISCOVERY;
  const reject = (problem: string): never => {
    throw new TickhaulError('bad_answer', `${url}: ${problem}; set the issuer with --auth-url`);
  };
  const metadata = await callJson(context, { method: 'GET', url }, checkResource).catch((error: unknown) => {
    if (error instanceof RefusedError) return reject(`no issuer is announced (${error.status})`);
    throw error;
  });
  // Metadata that describes another host must not be used (RFC 9728, section 3.3).
  if (metadata.resource !== undefined && parseOrigin(metadata.resource) !== parseOrigin(apiUrl)) {
    return reject('the metadata describes another service');
  }
  const issuer = parseIssuer(metadata.authorization_servers[0] ?? '', url);
  if (
    metadata.token_endpoint !== undefined &&
    parseOrigin(metadata.token_endpoint) !== parseOrigin(issuer.url)
  ) {
    return reject("the token endpoint is not on the issuer's host");
  }
  return issuer;
}

/**
 * Checks that tokens may be sent to the account API's host. Called before a token is obtained, so that a sign-in
 * is not wasted.
 * @throws usage error for an address without https; plain http is allowed on loopback only.
 */
export function assertSecureApiHost({ client }: CallContext): void {
  assertSecureUrl(new URL(client.config.apiUrl));
}

/** Completes account setup: creates the account or returns the existing one; its fields are not changed. */
export function setUpAccount(context: CallContext, accessToken: string): Promise<JsonObject> {
  // Although it is a POST, it is safe to repeat (docs/spec/account-api.md#call-errors).
  return callApi(context, { method: 'POST', path: '/v1/account' }, accessToken, checkObject, true);
}

/** Fetches the OpenAPI description of the account operations. @param accessToken if the service requires one. */
export function fetchDescription(context: CallContext, accessToken: string | undefined): Promise<JsonObject> {
  const operation = { method: 'GET', path: '/v1/account/openapi.json' };
  return callApi(context, operation, accessToken, checkObject);
}

/** One request of an account operation, built from its description. */
export interface OperationRequest {
  readonly method: string;
  /** Path and query, beginning with `/`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Calls any account operation. @returns the JSON of the response; undefined if the body is empty. */
export function callOperation(
  context: CallContext,
  operation: OperationRequest,
  accessToken: string,
): Promise<unknown> {
  return callApi(context, operation, accessToken, (json) => json);
}

/** Idempotent methods (RFC 9110, section 9.2.2). */
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
