import { type ErrorCode, TickhaulError } from '../../base/errors.js';
import { judgeError } from '../../base/judge-error.js';
import { formatDuration } from '../../base/units.js';
import { readBody } from '../../http/watched-body.js';
import { parseRetryAfter } from './retry-after.js';
import type { ServiceResponse } from './send-request.js';

const MAX_BODY_BYTES = 64 * 1024;
const MAX_QUOTE_LENGTH = 200;
/** Codes of the service's error bodies (`docs/spec/datasets-api.md#data-errors`). */
const DAY_NOT_AVAILABLE = 140;
const SYMBOL_NOT_AVAILABLE = 300;
const KEY_ACTIVE_ELSEWHERE = 274;

interface ErrorBody {
  readonly code: unknown;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
}

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
  const body = parseBody(bytes.toString());
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now()) ?? body.retryAfterMs;
  const code = classifyError(response.status, body, retryAfterMs);
  const quote = quoteMessage(body.message, apiKey);
  const problem = describeError(code, response.status, apiKey !== undefined);
  const wait = retryAfterMs === undefined ? '' : `; retry after ${formatDuration(retryAfterMs)}`;
  return new TickhaulError(code, `${response.name}: ${problem}${quote}${wait}`, {
    status: response.status,
    retryAfterMs,
  });
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
  if (status >= 500) return 'server_error';
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

function parseBody(text: string): ErrorBody {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { code: undefined, message: '', retryAfterMs: undefined };
  }
  const fields: Readonly<Record<string, unknown>> =
    typeof json === 'object' && json !== null ? { ...json } : {};
  const { code, message, retryAfterSeconds } = fields;
  return {
    code: typeof code === 'string' ? Number(code) : code,
    message: typeof message === 'string' ? message : '',
    retryAfterMs: parseRetryAfter(retryAfterSeconds, Date.now()),
  };
}

function quoteMessage(message: string, apiKey: string | undefined): string {
  const line = toOneLine(
    apiKey === undefined ? message : message.replaceAll(apiKey, '***'),
    MAX_QUOTE_LENGTH,
  );
  return line === '' ? '' : `: "${line}"`;
}

/** Makes a text of the service fit a one-line message: runs of blanks and control characters become one blank. */
export function toOneLine(text: string, maxLength: number): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
