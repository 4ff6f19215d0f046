import assert from 'node:assert/strict';
import { request } from 'undici';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { approveClaim } from '../../helpers/claim-page.js';

export const EMAIL = 'jo@example.com';
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Identity {
  readonly assertion: string;
  readonly refreshToken: string;
}

/** A request with a JSON body, or a form if the body is URLSearchParams. */
export async function post(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonAnswer> {
  const isForm = body instanceof URLSearchParams;
  const answer = await request(url, {
    method: 'POST',
    headers: {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      ...headers,
    },
    body: isForm ? body.toString() : JSON.stringify(body),
  });
  const text = await answer.body.text();
  assert.equal(answer.headers['content-type'], 'application/json', text);
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: JSON.parse(text) as Record<string, unknown>,
  };
}

/** The steps of the protocol, with any fields. */
export function createSteps({ issuerUrl }: Sandbox): {
  register(fields?: object): Promise<JsonAnswer>;
  claim(token: unknown, fields?: object): Promise<JsonAnswer>;
  complete(token: unknown, userCode: unknown): Promise<JsonAnswer>;
  token(assertion: string, fields?: Record<string, string>): Promise<JsonAnswer>;
  refresh(refreshToken: unknown): Promise<JsonAnswer>;
} {
  return {
    register: (fields) =>
      post(`${issuerUrl}/agent/identity`, { type: 'service_auth', login_hint: EMAIL, ...fields }),
    claim: (token, fields) =>
      post(`${issuerUrl}/agent/identity/claim`, {
        type: 'service_auth',
        claim_token: token,
        login_hint: EMAIL,
        ...fields,
      }),
    complete: (token, userCode) =>
      post(`${issuerUrl}/agent/identity/claim/complete`, { claim_token: token, user_code: userCode }),
    token: (assertion, fields) =>
      post(
        `${issuerUrl}/oauth2/token`,
        new URLSearchParams({ grant_type: JWT_BEARER, assertion, ...fields }),
      ),
    refresh: (refreshToken) =>
      post(`${issuerUrl}/agent/identity`, { type: 'refresh', refresh_token: refreshToken }),
  };
}

/** Registers. */
export async function claimToken(service: Sandbox): Promise<string> {
  const { body } = await createSteps(service).register();
  return (body['claim'] as { token: string }).token;
}

/** Starts a claim attempt, and returns its link. */
export async function startAttempt(service: Sandbox, token: string): Promise<string> {
  const { body } = await createSteps(service).claim(token);
  return (body['attempt'] as { verification_uri: string }).verification_uri;
}

/** The identity in a response. */
export function readIdentity({ status, body }: JsonAnswer): Identity {
  assert.equal(status, 200, JSON.stringify(body));
  const identity = body['identity'] as { assertion: string; refresh_token: { value: string } };
  return { assertion: identity.assertion, refreshToken: identity.refresh_token.value };
}

/** Performs the whole claim. */
export async function verifiedIdentity(service: Sandbox): Promise<Identity> {
  const token = await claimToken(service);
  const code = await approveClaim(await startAttempt(service, token), EMAIL);
  return readIdentity(await createSteps(service).complete(token, code.replaceAll('-', '')));
}

/** The header with an access token for the identity. */
export async function bearer(
  service: Sandbox,
  { assertion }: Identity,
): Promise<{ readonly authorization: string }> {
  const { body } = await createSteps(service).token(assertion);
  return { authorization: `Bearer ${body['access_token']}` };
}

/** Fails unless the response is a refusal with this code and a message, and nothing else. */
export function assertRefused({ status, body }: JsonAnswer, code: string): void {
  assert.equal(body['code'], code, JSON.stringify(body));
  assert.ok(status >= 400 && status < 500);
  assert.deepEqual(Object.keys(body), ['code', 'message']);
  assert.ok(typeof body['message'] === 'string' && body['message'] !== '');
}
