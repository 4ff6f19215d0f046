import { TickhaulError, usageError } from '../base/errors.js';
import type { VerifiedIdentity } from '../service/issuer.js';

/** A stored identity; unique for issuer host and e-mail. */
export interface Identity extends VerifiedIdentity {
  /** The issuer's host, with its port. */
  readonly issuer: string;
  /** Origin of the API that the user signed in for; undefined in files that do not name it. */
  readonly api: string | undefined;
  readonly email: string;
}

/**
 * Checks that an identity may be used for an API. Any host could name the user's issuer, and get access tokens that are
 * valid at the API of that issuer too.
 * @param api origin. @throws TickhaulError `not_signed_in` for an identity of another API.
 */
export function assertMadeFor(api: string, identity: Identity): Identity {
  if (identity.api === api) return identity;
  const origin = identity.api ?? 'an API that its file does not name';
  throw new TickhaulError(
    'not_signed_in',
    `${identity.email}: the stored identity is for ${origin}, not for ${api}; check --api-url, or run tickhaul logout --email ${identity.email} and sign in again`,
  );
}

const MAX_MARGIN_MS = 300_000;
/** Used if the assertion has no `iat`. */
const DEFAULT_MARGIN_MS = 60_000;
/** Share of its lifetime in which an assertion is refreshed ahead of its expiry. */
const MARGIN_RATIO = 0.1;

/**
 * Whether an assertion has expired or will expire soon (`docs/spec/account-api.md#assertion-expiry`); false if its
 * `exp` cannot be read. @param now milliseconds since the epoch
 */
export function nearsExpiry(assertion: string, now: number): boolean {
  const { expMs, iatMs } = readTimes(assertion);
  if (expMs === undefined) return false;
  const lifetimeMs = iatMs === undefined ? undefined : Math.max(0, expMs - iatMs);
  const marginMs =
    lifetimeMs === undefined ? DEFAULT_MARGIN_MS : Math.min(MAX_MARGIN_MS, lifetimeMs * MARGIN_RATIO);
  return expMs - marginMs <= now;
}

/** Whether an assertion has expired; false if its `exp` cannot be read. @param now milliseconds since the epoch */
export function isExpired(assertion: string, now: number): boolean {
  const { expMs } = readTimes(assertion);
  return expMs !== undefined && expMs <= now;
}

interface AssertionTimes {
  /** Milliseconds since the epoch. */
  readonly expMs: number | undefined;
  readonly iatMs: number | undefined;
}

/** Reads the times of an assertion that is a JWT (RFC 7519, section 4.1). Only the issuer checks the signature. */
function readTimes(assertion: string): AssertionTimes {
  try {
    const payload: unknown = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString());
    const { exp, iat } = payload as { readonly exp?: unknown; readonly iat?: unknown };
    return { expMs: secondsToMs(exp), iatMs: secondsToMs(iat) };
  } catch {
    return { expMs: undefined, iatMs: undefined };
  }
}

function secondsToMs(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

/** The longest address that mail can be sent to (RFC 5321, section 4.5.3.1). */
const MAX_LENGTH = 254;

/**
 * Parses an e-mail address. Only its form is checked; only the issuer can check whether it exists.
 * @throws usage error if the text is not an e-mail address.
 */
export function parseEmail(text: string): string {
  const email = text.trim();
  const isAddress = /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+\.[^\s@.\p{Cc}\p{Cf}]+$/u.test(email);
  if (isAddress && email.length <= MAX_LENGTH) return email;
  throw usageError(`${JSON.stringify(email)} is not an e-mail address; use the form name@example.com`);
}

/** Whether two addresses are the same mailbox: providers ignore the case of letters. */
export function isSameEmail(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
