import { type ErrorCode, TickhaulError } from '../../base/errors.js';
import type { Secrets } from '../../base/secrets.js';
import { formatDuration } from '../../base/units.js';
import { toOneLine } from '../http/read-error-response.js';
import { parseRetryAfter } from '../http/retry-after.js';
import type { JsonResponse } from './json-response.js';

const MAX_QUOTE = 200;
const MAX_CODE = 64;

/** A 4xx answer with the code that the server gave for it (service interface, Errors); never to be replayed. */
export class RefusedError extends TickhaulError {
  /** Such as `invalid_grant`; empty where the answer named none. */
  readonly refusal: string;
  /** What the server says, for messages: a quoted text in one line, or nothing. */
  readonly says: string;

  constructor(code: ErrorCode, message: string, details: { status: number; refusal: string; says: string }) {
    super(code, message, { status: details.status });
    this.refusal = details.refusal;
    this.says = details.says;
  }
}

/**
 * The error of an answer of the issuer or the account API that is no success: `server_error` for 5xx and
 * `rate_limited` for `rate_limit_exceeded`, which may be asked again; else a RefusedError.
 */
export function createRefusedError(
  { name, status, headers, json }: JsonResponse,
  secrets: Secrets,
): TickhaulError {
  const fields: Readonly<Record<string, unknown>> =
    typeof json === 'object' && json !== null ? { ...json } : {};
  // Token endpoints elsewhere say `error` and `error_description` (RFC 6749, section 5.2).
  const refusal = text(fields['code']) || text(fields['error']);
  const shownCode = toOneLine(secrets.redactQuote(refusal), MAX_CODE);
  const quote = toOneLine(
    secrets.redactQuote(text(fields['message']) || text(fields['error_description'])),
    MAX_QUOTE,
  );
  const says = quote === '' ? '' : `: "${quote}"`;
  const now = Date.now();
  const retryAfterMs =
    parseRetryAfter(fields['retry_after'], now) ?? parseRetryAfter(headers['retry-after'], now);
  if (status >= 500) {
    return new TickhaulError('server_error', `${name}: the service failed (${status})${says}`, {
      status,
      retryAfterMs,
    });
  }
  if (refusal === 'rate_limit_exceeded' || (status === 429 && refusal === '')) {
    const wait = retryAfterMs === undefined ? '' : `; it asks to wait ${formatDuration(retryAfterMs)}`;
    return new TickhaulError('rate_limited', `${name}: too many requests${says}${wait}`, {
      status,
      retryAfterMs,
    });
  }
  const code = status === 401 || status === 403 ? 'no_access' : status >= 400 ? 'rejected' : 'bad_answer';
  const why = shownCode === '' ? String(status) : `${status}, ${shownCode}`;
  return new RefusedError(code, `${name}: the request was refused (${why})${says}`, {
    status,
    refusal,
    says,
  });
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
