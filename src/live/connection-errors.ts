import { judgeError, TickhaulError } from '../base/errors.js';
import { sanitizeForTerminal } from '../base/text.js';
import { retryDelayMs } from '../base/with-retries.js';
import { isMessageFields } from '../exchange-adapters/message-fields.js';
import { isTemporaryFailure, parseRetryAfter } from '../http/failed-response.js';

const MAX_SHOWN_CHARACTERS = 200;
const RATE_LIMIT_TEXT = /\b429\b|too many|rate.?limit/i;
const RATE_LIMIT_MS = 16_000;
const BAN_MS = 120_000;
const REFUSED_MS = 30_000;
const MAX_WAIT_MS = 300_000;

/** Creates the error for a response without success. @param name host, or host and path. */
export function createHandshakeError(
  name: string,
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): TickhaulError {
  const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
  const details = { status, retryAfterMs };
  if (status === 429) return new TickhaulError('rate_limited', `${name}: too many requests (429)`, details);
  if (status === 418)
    return new TickhaulError('rate_limited', `${name} has banned this address (418)`, details);
  if (status === 403 || status === 451) {
    const reason = 'this country or address may be blocked';
    return new TickhaulError('no_access', `${name} refused the request (${status}): ${reason}`, details);
  }
  if (isTemporaryFailure(status))
    return new TickhaulError('server_error', `${name} answered ${status}`, details);
  return new TickhaulError('rejected', `${name} answered ${status}`, details);
}

/** Creates the error for an error message of the exchange. @param text the message as text. */
export function createExchangeError(exchange: string, text: string, message: unknown): TickhaulError {
  const shown = sanitizeForTerminal(
    text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text,
  );
  const isLimit = RATE_LIMIT_TEXT.test(text);
  return new TickhaulError(
    isLimit ? 'rate_limited' : 'rejected',
    `${exchange} sent an error: ${shown}`,
    isLimit ? { retryAfterMs: parseRequestedWait(message) } : {},
  );
}

/** Creates the error for an open connection that was closed. @param reason the exchange's reason. */
export function createClosedError(host: string, code: number, reason: string): TickhaulError {
  const shown = reason === '' ? '' : `: ${sanitizeForTerminal(reason)}`;
  return new TickhaulError(
    RATE_LIMIT_TEXT.test(reason) ? 'rate_limited' : 'reset',
    `${host} closed the connection (${code})${shown}`,
  );
}

/** Reads the delay from a message of BitMEX: `{"status":429,"error":"…","meta":{"retryAfter":5}}`. */
function parseRequestedWait(message: unknown): number | undefined {
  if (!isMessageFields(message)) return undefined;
  const meta = isMessageFields(message['meta']) ? message['meta'] : message;
  return parseRetryAfter(meta['retryAfter'], Date.now());
}

/**
 * Delay before the next connection, in milliseconds. It is as long as the exchange asks for; otherwise longer
 * than usual after a rate limit, a ban or a refusal; otherwise the retry delay of transfers.
 * @param attempt 1 for the first attempt after a healthy connection.
 */
export function reconnectDelayMs(error: TickhaulError, attempt: number): number {
  const { code, status, retryAfterMs } = error;
  const usual = retryDelayMs(attempt, Math.random());
  if (retryAfterMs !== undefined) return retryAfterMs + usual;
  if (status === 418) return BAN_MS + usual;
  const step = judgeError(error).isCongestion ? RATE_LIMIT_MS : code === 'no_access' ? REFUSED_MS : 0;
  return Math.min(step * attempt, MAX_WAIT_MS) + usual;
}
