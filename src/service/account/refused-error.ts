import { type ErrorCode, TickhaulError } from '../../base/errors.js';
import type { Secrets } from '../../base/secrets.js';
import { toOneLine } from '../../base/text.js';
import { formatDuration } from '../../base/units.js';
import {
  describeFrontRefusal,
  isFrontRefusal,
  isTemporaryFailure,
  parseRetryAfter,
} from '../../http/failed-response.js';
import { quoteMessage, readErrorBody } from '../http/read-error-response.js';
import type { HttpHeaders } from '../http/send-request.js';

const MAX_CODE_LENGTH = 64;

/** A 4xx response with the server's error code (`docs/spec/account-api.md#issuer-error-codes`); not retried. */
export class RefusedError extends TickhaulError {
  /** Error code such as `invalid_grant`; empty if the response has none. */
  readonly refusal: string;
  /** The server's message, as a suffix for error texts: `: "…"` in one line, or empty. */
  readonly quote: string;

  constructor(code: ErrorCode, message: string, details: { status: number; refusal: string; quote: string }) {
    super(code, message, { status: details.status });
    this.refusal = details.refusal;
    this.quote = details.quote;
  }
}

/**
 * Creates the error for an unsuccessful response of the issuer or the account API: `server_error` for 5xx, 408 and 425
 * and `rate_limited` for `rate_limit_exceeded`, which may be retried; `bad_answer` for a page of a server before them,
 * so that it does not end an identity; otherwise a RefusedError.
 */
export function createRefusedError(
  { name, status, headers, json, pageTitle }: JsonResponse,
  secrets: Secrets,
): TickhaulError {
  const { name: refusal, ...body } = readErrorBody(json);
  const shownCode = toOneLine(secrets.redactQuote(refusal), MAX_CODE_LENGTH);
  const quote = quoteMessage(secrets.redactQuote(body.message));
  const retryAfterMs = body.retryAfterMs ?? parseRetryAfter(headers['retry-after'], Date.now());
  if (isFrontRefusal(status, pageTitle)) {
    const problem = describeFrontRefusal(status, secrets.redactQuote(pageTitle));
    return new TickhaulError('bad_answer', `${name}: ${problem}`, { status });
  }
  if (isTemporaryFailure(status)) {
    return new TickhaulError('server_error', `${name}: the service failed (${status})${quote}`, {
      status,
      retryAfterMs,
    });
  }
  if (refusal === 'rate_limit_exceeded' || (status === 429 && refusal === '')) {
    const wait = retryAfterMs === undefined ? '' : `; retry after ${formatDuration(retryAfterMs)}`;
    return new TickhaulError('rate_limited', `${name}: too many requests${quote}${wait}`, {
      status,
      retryAfterMs,
    });
  }
  const code = status === 401 || status === 403 ? 'no_access' : status >= 400 ? 'rejected' : 'bad_answer';
  const reason = shownCode === '' ? String(status) : `${status}, ${shownCode}`;
  return new RefusedError(code, `${name}: the request was refused (${reason})${quote}`, {
    status,
    refusal,
    quote,
  });
}

/** Response of the issuer or the account API, of any status. */
export interface JsonResponse {
  /** Host and path, as messages show them. */
  readonly name: string;
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
  readonly hasBody: boolean;
  /** Title of a failure's HTML page; undefined for any other body. */
  readonly pageTitle: string | undefined;
}
