import type { VerifiedIdentity } from '../../service/account/issuer.js';

/** An identity as it is stored: for one issuer host and e-mail. */
export interface Identity extends VerifiedIdentity {
  /** The issuer's host, with its port. */
  readonly issuer: string;
  readonly email: string;
}

const LONGEST_MARGIN_MS = 300_000;
const MARGIN_MS = 60_000;
/** Of an assertion's life, the part in which it is refreshed ahead of time. */
const MARGIN_SHARE = 0.1;

/** Whether an assertion's `exp` has come, or is near (RFC 7519, section 4.1.4); false where it can't be read. */
export function nearsExpiry(assertion: string, now: number): boolean {
  const { expMs, iatMs } = timesOf(assertion);
  if (expMs === undefined) return false;
  const life = iatMs === undefined ? undefined : Math.max(0, expMs - iatMs);
  const margin = life === undefined ? MARGIN_MS : Math.min(LONGEST_MARGIN_MS, life * MARGIN_SHARE);
  return expMs - margin <= now;
}

/** Whether an assertion's `exp` has come; false where it can't be read. @param now milliseconds since the epoch */
export function isExpired(assertion: string, now: number): boolean {
  const { expMs } = timesOf(assertion);
  return expMs !== undefined && expMs <= now;
}

interface Times {
  /** Milliseconds since the epoch. */
  readonly expMs: number | undefined;
  readonly iatMs: number | undefined;
}

/** The times in an assertion that is a JWT; its signature is the issuer's affair. */
function timesOf(assertion: string): Times {
  try {
    const payload: unknown = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString());
    const { exp, iat } = payload as { readonly exp?: unknown; readonly iat?: unknown };
    return { expMs: milliseconds(exp), iatMs: milliseconds(iat) };
  } catch {
    return { expMs: undefined, iatMs: undefined };
  }
}

function milliseconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
