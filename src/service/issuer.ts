import * as z from 'zod';
import { usageError } from '../base/errors.js';
import { type CallContext, callJson, type JsonCall } from './json-call.js';
import { createParser } from './records/response-schemas.js';
import { isSecureUrl, type ParseResponse } from './service-client.js';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ONCE = { once: true };
const JSON_TYPE = { 'content-type': 'application/json' };

/** An identity issuer: the only host to which claim tokens, assertions and refresh tokens are sent. */
export interface Issuer {
  /** Without a trailing slash. */
  readonly url: string;
  /** With the port. Part of the key under which identities are stored. */
  readonly host: string;
}

/** Proof of the account's owner. Both texts are secrets. */
export interface VerifiedIdentity {
  readonly assertion: string;
  readonly refreshToken: string;
}

export interface AccessToken {
  readonly value: string;
  /** Seconds; undefined if the issuer does not send them (RFC 6749, section 5.1). */
  readonly expiresIn: number | undefined;
}

const secret = z.string().min(1);
const checkRegistration = createParser(z.object({ claim: z.object({ token: secret }) }));
const checkAttempt = createParser(
  z.object({
    attempt: z.object({
      verification_uri: z
        .string()
        .refine(
          (text) => URL.canParse(text) && isSecureUrl(new URL(text)),
          'expected an https address, to be opened in a browser',
        ),
    }),
  }),
);
const checkIdentity = createParser(
  z.object({ identity: z.object({ assertion: secret, refresh_token: z.object({ value: secret }) }) }),
);
const checkToken = createParser(
  z.object({
    // Characters that an Authorization header may contain (RFC 6750, section 2.1).
    access_token: secret.refine((text) => /^[\x21-\x7e]{1,16384}$/.test(text), 'expected a bearer token'),
    expires_in: z.number().positive().optional().catch(undefined),
  }),
);

/**
 * Parses an issuer's address.
 * @param name source of the address, such as a flag; used in the error.
 * @throws usage error if it is not an https address; plain http is allowed on loopback only.
 */
export function parseIssuer(text: string, name: string): Issuer {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !isSecureUrl(url) || url.username || url.password || url.search || url.hash) {
    const shown = url ? url.origin : 'the value';
    throw usageError(`${name}: ${shown} is not an issuer address; use https://host (http on loopback only)`);
  }
  return { url: url.href.replace(/\/+$/, ''), host: url.host };
}

/** Registers an agent for the owner of an e-mail address. @returns the claim token, a secret: keep it in memory. */
export async function register(context: CallContext, issuer: Issuer, email: string): Promise<string> {
  const body = { type: 'service_auth', login_hint: email };
  const { claim } = await post(context, `${issuer.url}/agent/identity`, body, checkRegistration);
  return context.secrets.add(claim.token);
}

/** Starts a claim attempt. @returns the link at which the user signs in and finds the code. */
export async function startClaim(
  context: CallContext,
  issuer: Issuer,
  claimToken: string,
  email: string,
): Promise<string> {
  const body = { type: 'service_auth', claim_token: claimToken, login_hint: email };
  const { attempt } = await post(context, `${issuer.url}/agent/identity/claim`, body, checkAttempt);
  return new URL(attempt.verification_uri).href;
}

/**
 * Completes a claim with the code that the page shows, in one attempt. The caller retries: this call deserves more
 * attempts than others, since the user has already confirmed, and the caller releases its lock in between.
 * @returns the identity, which the issuer sends only once.
 */
export async function completeClaim(
  context: CallContext,
  issuer: Issuer,
  claimToken: string,
  userCode: string,
): Promise<VerifiedIdentity> {
  const body = { claim_token: claimToken, user_code: context.secrets.addCode(userCode) };
  const options = { ...ONCE, tries: 1 };
  return toVerifiedIdentity(
    context,
    await post(context, `${issuer.url}/agent/identity/claim/complete`, body, checkIdentity, options),
  );
}

/** Exchanges a refresh token and makes it invalid. @returns the identity that replaces the stored one. */
export async function refreshIdentity(
  context: CallContext,
  issuer: Issuer,
  refreshToken: string,
): Promise<VerifiedIdentity> {
  const body = { type: 'refresh', refresh_token: context.secrets.add(refreshToken) };
  return toVerifiedIdentity(
    context,
    await post(context, `${issuer.url}/agent/identity`, body, checkIdentity, ONCE),
  );
}

/** Exchanges an assertion for an access token (RFC 7523, section 2.1), a secret: keep it in memory. */
export async function exchangeAssertion(
  context: CallContext,
  issuer: Issuer,
  assertion: string,
): Promise<AccessToken> {
  const form = new URLSearchParams({ grant_type: JWT_BEARER, assertion: context.secrets.add(assertion) });
  const call = {
    method: 'POST',
    url: `${issuer.url}/oauth2/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  };
  const token = await callJson(context, call, checkToken);
  return { value: context.secrets.add(token.access_token), expiresIn: token.expires_in };
}

function post<T>(
  context: CallContext,
  url: string,
  body: object,
  check: ParseResponse<T>,
  options: Pick<JsonCall, 'once' | 'tries'> = {},
): Promise<T> {
  const call = { method: 'POST', url, headers: JSON_TYPE, body: JSON.stringify(body), ...options };
  return callJson(context, call, check);
}

function toVerifiedIdentity(
  { secrets }: CallContext,
  response: ReturnType<typeof checkIdentity>,
): VerifiedIdentity {
  const { assertion, refresh_token } = response.identity;
  return { assertion: secrets.add(assertion), refreshToken: secrets.add(refresh_token.value) };
}
