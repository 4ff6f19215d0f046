import { type ErrorCode, judgeError, TickhaulError } from '../base/errors.js';
import { redactSecret } from '../base/secrets.js';
import { toOneLine } from '../base/text.js';
import { formatDuration } from '../base/units.js';
import {
  describeFrontRefusal,
  findPageTitle,
  isFrontRefusal,
  isTemporaryFailure,
  parseRetryAfter,
} from '../http/failed-response.js';
import { readBody } from '../http/watched-body.js';
import type { ServiceResponse } from './send-request.js';

const MAX_BODY_BYTES = 64 * 1024;
const MAX_QUOTE_LENGTH = 200;
/** Codes of the service's error bodies (`docs/spec/datasets-api.md#data-errors`). */
const DAY_NOT_AVAILABLE = 140;
const SYMBOL_NOT_AVAILABLE = 300;
const KEY_ACTIVE_ELSEWHERE = 274;
const REDIRECT_REFUSALS: ReadonlySet<number> = new Set([401, 403, 410]);

/** Reads an unsuccessful response to its end and creates the error for it. */
export async function readErrorResponse(
  response: ServiceResponse,
  apiKey: string | undefined,
): Promise<TickhaulError> {
  const bytes = await readBody(response.body, MAX_BODY_BYTES).catch((error: unknown) => {
    // The status is enough if the body cannot be read; an abort is rethrown.
    if (error instanceof TickhaulError && judgeError(error).affectsRun) throw error;
    return Buffer.alloc(0);
  });
  const text = bytes.toString();
  const body = readErrorBody(parseJsonBody(text));
  const { status, headers } = response;
  const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now()) ?? body.retryAfterMs;
  const quote = quoteMessage(redactSecret(body.message, apiKey));
  const title = findPageTitle(headers['content-type'], text);
  const { code, problem } =
    classifyOther(response, body, title && redactSecret(title, apiKey)) ??
    classifyService(status, body, retryAfterMs, apiKey !== undefined);
  const wait = retryAfterMs === undefined ? '' : `; retry after ${formatDuration(retryAfterMs)}`;
  return new TickhaulError(code, `${response.name}: ${problem}${quote}${wait}`, { status, retryAfterMs });
}

interface ErrorKind {
  readonly code: ErrorCode;
  readonly problem: string;
}

/** Whether the address of a redirect refused the request: a signed address has expired, and got no key anyway. */
export function isRedirectRefusal({
  status,
  redirects,
}: Pick<ServiceResponse, 'status' | 'redirects'>): boolean {
  return redirects.length > 0 && REDIRECT_REFUSALS.has(status);
}

/** Classifies a refusal by a server other than the service. @param title of a page; undefined for other bodies. */
function classifyOther(
  response: ServiceResponse,
  body: ErrorBody,
  title: string | undefined,
): ErrorKind | undefined {
  const { status } = response;
  // The codes of the service are numbers; those of stores with JSON are names.
  if (isRedirectRefusal(response) && !Number.isInteger(body.code)) {
    const page = title ? `: "${title}"` : '';
    const problem = `the address of the redirect refused the request (${status})${page}; it may have expired`;
    return { code: 'server_error', problem };
  }
  if (!isFrontRefusal(status, title)) return undefined;
  return { code: 'bad_answer', problem: describeFrontRefusal(status, title) };
}

function classifyService(
  status: number,
  body: ErrorBody,
  retryAfterMs: number | undefined,
  hasKey: boolean,
): ErrorKind {
  const code = classifyError(status, body, retryAfterMs);
  return { code, problem: describeError(code, status, hasKey) };
}

function classifyError(status: number, body: ErrorBody, retryAfterMs: number | undefined): ErrorCode {
  if (status === 401) return 'bad_key';
  if (status === 403) {
    return retryAfterMs !== undefined || body.code === KEY_ACTIVE_ELSEWHERE ? 'ip_locked' : 'no_access';
  }
  if (status === 429) return /transfer limit/i.test(body.message) ? 'transfer_limit' : 'rate_limited';
  if (status === 404) return 'unavailable';
  if (status === 400 && (body.code === DAY_NOT_AVAILABLE || body.code === SYMBOL_NOT_AVAILABLE)) {
    return 'unavailable';
  }
  if (isTemporaryFailure(status)) return 'server_error';
  return status >= 400 ? 'rejected' : 'bad_answer';
}

function describeError(code: ErrorCode, status: number, hasKey: boolean): string {
  switch (code) {
    case 'bad_key':
      return hasKey ? 'the service does not accept the key' : 'needs an API key; set TICKHAUL_API_KEY';
    case 'ip_locked':
      return 'the key is in use from another IP address';
    case 'no_access':
      return hasKey ? 'the key gives no access to this' : 'no access without a key; set TICKHAUL_API_KEY';
    case 'rate_limited':
      return 'too many requests';
    case 'transfer_limit':
      return "the account's transfer limit is reached; wait for the next billing interval, or get a larger plan";
    case 'unavailable':
      return `not available (${status})`;
    case 'server_error':
      return `the service failed (${status})`;
    case 'rejected':
      return `the service refused the request (${status})`;
    default:
      return `unexpected status ${status}`;
  }
}

/** Fields of a JSON error body of any host of the service. */
interface ErrorBody {
  /** Code of a data host, a number; anything else if there is none. */
  readonly code: unknown;
  /** Code of an account host, such as `invalid_grant`; empty if there is none. */
  readonly name: string;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
}

/** @param json parsed error body; undefined for a body that is not JSON. */
export function readErrorBody(json: unknown): ErrorBody {
  const fields: Readonly<Record<string, unknown>> =
    typeof json === 'object' && json !== null ? { ...json } : {};
  const { code, error, message, error_description: description } = fields;
  return {
    code: typeof code === 'string' ? Number(code) : code,
    // Standard token endpoints use `error` and `error_description` instead (RFC 6749, section 5.2).
    name: asText(code) || asText(error),
    message: asText(message) || asText(description),
    retryAfterMs: parseRetryAfter(fields['retryAfterSeconds'] ?? fields['retry_after'], Date.now()),
  };
}

/** Parses a body; undefined if it is not JSON. Errors of `JSON.parse` quote the text, which may contain a secret. */
export function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A server's message as a suffix for error texts: `: "…"` in one line, or empty. @param message without secrets. */
export function quoteMessage(message: string): string {
  const line = toOneLine(message, MAX_QUOTE_LENGTH);
  return line === '' ? '' : `: "${line}"`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
