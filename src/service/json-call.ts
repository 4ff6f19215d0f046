import { abortReason, type ErrorCode, TickhaulError, usageError } from '../base/errors.js';
import type { Secrets } from '../base/secrets.js';
import { toOneLine } from '../base/text.js';
import { formatDuration, formatSize } from '../base/units.js';
import { withRetries } from '../base/with-retries.js';
import {
  describeFrontRefusal,
  findPageTitle,
  isFrontRefusal,
  isTemporaryFailure,
  parseRetryAfter,
} from '../http/failed-response.js';
import { discardBody, readBody } from '../http/watched-body.js';
import { parseJsonBody, quoteMessage, readErrorBody } from './read-error-response.js';
import {
  formatUrlForLog,
  type HttpHeaders,
  isRedirect,
  sendRequest,
  withResponseTimeout,
} from './send-request.js';
import { isSecureUrl, type ParseResponse, type ServiceClient } from './service-client.js';

/** Largest response of the issuer or the account API that is accepted. */
const MAX_RESPONSE_BYTES = 1_000_000;
const MAX_ATTEMPTS = 5;

/** Shared settings of all calls to the issuer and the account API. */
export interface CallContext {
  readonly client: ServiceClient;
  /** Redacted wherever a message quotes a response. */
  readonly secrets: Secrets;
  /** Milliseconds: longest `retry_after` that is waited for. */
  readonly maxWaitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Aborts a request with `once`: its response is sent only once, and losing it costs more than the wait for it. */
  readonly lastSignal?: AbortSignal | undefined;
  /** Called before each wait for a retry. */
  readonly onWait?: ((waitMs: number, error: TickhaulError) => void) | undefined;
}

export interface JsonCall {
  readonly method: string;
  readonly url: string;
  readonly headers?: HttpHeaders;
  readonly body?: string | undefined;
  /** Whether the same request may be sent again if its response was lost; 5xx, 408 and 425 are always retried. */
  readonly repeatable?: boolean;
  /** Whether the server sends the response only once: if so, `signal` ends only the waits between attempts, not the request itself. */
  readonly once?: boolean;
  /** Total attempts; 5 by default. */
  readonly tries?: number;
}

/**
 * Sends one call with a small JSON response; retries on 5xx, 408, 425, `rate_limit_exceeded` and network errors
 * (`docs/spec/account-api.md#call-errors`). Each attempt ends within the client's stall timeout, even if bytes keep
 * arriving slowly. Redirects are not followed: they would send a secret to an address that was not announced.
 * @throws RefusedError for any other 4xx; TickhaulError `bad_answer` for an invalid response, `usage` for an address
 * that secrets may not be sent to.
 */
export async function callJson<T>(context: CallContext, call: JsonCall, check: ParseResponse<T>): Promise<T> {
  const { maxWaitMs, signal, onWait, secrets } = context;
  const { repeatable = true, tries = MAX_ATTEMPTS } = call;
  const attempt = async (): Promise<T> => {
    if (signal?.aborted) throw abortReason(signal);
    const response = await sendCall(context, call);
    if (!isSuccess(response.status)) throw createRefusedError(response, secrets);
    // A page of an intermediary must not pass for an empty response.
    if (response.json === undefined && response.hasBody) {
      throw new TickhaulError('bad_answer', `${response.name}: the response is not JSON`);
    }
    return check(response.json, response.name);
  };
  const mayRetry = (error: TickhaulError): boolean => repeatable || error.status !== undefined;
  return withRetries(attempt, { maxAttempts: tries, maxWaitMs, signal, onWait, mayRetry });
}

async function sendCall(context: CallContext, call: JsonCall): Promise<JsonResponse> {
  const { client } = context;
  const signal = call.once === true ? context.lastSignal : context.signal;
  const url = new URL(call.url);
  const name = formatUrlForLog(url);
  assertSecureUrl(url);
  return withResponseTimeout(name, client.config.stallTimeoutMs, signal, async (callSignal) => {
    const { method, body } = call;
    const headers = { accept: 'application/json', ...call.headers };
    const response = await sendRequest(client, { method, url, headers, body }, callSignal);
    if (isRedirect(response.status)) {
      await discardBody(response.body);
      throw new TickhaulError('bad_answer', `${name}: redirect to another address, which is not followed`, {
        status: response.status,
      });
    }
    const { status, headers: responseHeaders } = response;
    const bytes = await readBody(response.body, MAX_RESPONSE_BYTES);
    const text = bytes.toString();
    const hasBody = /\S/.test(text);
    // The status of a failure is enough; its body may be any page, of any size.
    if (!isSuccess(status)) {
      const pageTitle = findPageTitle(responseHeaders['content-type'], text);
      return { name, status, headers: responseHeaders, json: parseJsonBody(text), hasBody, pageTitle };
    }
    if (bytes.length > MAX_RESPONSE_BYTES) {
      throw new TickhaulError(
        'bad_answer',
        `${name}: the response is larger than ${formatSize(MAX_RESPONSE_BYTES)}`,
      );
    }
    return {
      name,
      status,
      headers: responseHeaders,
      json: parseShallow(text, name),
      hasBody,
      pageTitle: undefined,
    };
  });
}

/**
 * Checks that secrets may be sent to an address.
 * @throws a usage error if they may not.
 */
export function assertSecureUrl(url: URL): void {
  if (isSecureUrl(url)) return;
  throw usageError(`${formatUrlForLog(url)}: secrets are sent over https only; use an https:// address`);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Parses JSON that can be written out again; deeper nesting would overflow the stack of `JSON.stringify`. */
function parseShallow(text: string, name: string): unknown {
  const json = parseJsonBody(text);
  try {
    JSON.stringify(json);
    return json;
  } catch (cause) {
    throw new TickhaulError('bad_answer', `${name}: the response is nested too deeply`, { cause });
  }
}

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
function createRefusedError(
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
