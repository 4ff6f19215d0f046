import { type ErrorCode, TickhaulError } from '../../base/errors.js';
import { formatDuration } from '../../base/units.js';
import { readBody } from '../../http/watched-body.js';
import { parseRetryAfter } from './retry-after.js';
import type { ServiceResponse } from './send-request.js';

const MAX_BODY_BYTES = 64 * 1024;
const MAX_QUOTE = 200;
/** Codes of the service's error bodies (service facts, Dataset host). */
const DAY_NOT_AVAILABLE = 140;
const SYMBOL_NOT_AVAILABLE = 300;
const KEY_ACTIVE_ELSEWHERE = 274;

interface ErrorBody {
  readonly code: unknown;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
}

/** Reads an answer that is not what was hoped for to its end, and makes the error of it. */
export async function readErrorResponse(
  answer: ServiceResponse,
  apiKey: string | undefined,
): Promise<TickhaulError> {
  const bytes = await readBody(answer.body, MAX_BODY_BYTES).catch((error: unknown) => {
    // The status says enough where the rest of a body is lost; an abort goes on up.
    if (error instanceof TickhaulError && error.affectsRun) throw error;
    return Buffer.alloc(0);
  });
  const body = parseBody(bytes.toString());
  const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], Date.now()) ?? body.retryAfterMs;
  const code = classifyError(answer.status, body, retryAfterMs);
  const says = quoteMessage(body.message, apiKey);
  const meaning = describeError(code, answer.status, apiKey !== undefined);
  const wait = retryAfterMs === undefined ? '' : `; it asks to wait ${formatDuration(retryAfterMs)}`;
  return new TickhaulError(code, `${answer.name}: ${meaning}${says}${wait}`, {
    status: answer.status,
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
      return hasKey ? 'the service does not accept the key' : 'needs an API key: set TICKHAUL_API_KEY';
    case 'ip_locked':
      return 'the key is in use from another IP address';
    case 'no_access':
      return hasKey ? 'the key gives no access to this' : 'no access without a key: set TICKHAUL_API_KEY';
    case 'rate_limited':
      return 'too many requests';
    case 'transfer_limit':
      return "the account's transfer limit is reached: it ends with the billing interval, or a larger plan";
    case 'unavailable':
      return `not available (${status})`;
    case 'server_error':
      return `the service failed (${status})`;
    case 'rejected':
      return `the service refused the request (${status})`;
    default:
      return `unexpected answer ${status}`;
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
  const line = toOneLine(apiKey === undefined ? message : message.replaceAll(apiKey, '***'), MAX_QUOTE);
  return line === '' ? '' : `: "${line}"`;
}

/** A foreign text as part of a one-line message: blanks and control characters become single blanks. */
export function toOneLine(text: string, maxLength: number): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
