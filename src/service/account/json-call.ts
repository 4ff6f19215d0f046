import { abortReason, TickhaulError, usageError } from '../../base/errors.js';
import type { Secrets } from '../../base/secrets.js';
import { formatSize } from '../../base/units.js';
import { withRetries } from '../../base/with-retries.js';
import { discardBody, readBody } from '../../http/watched-body.js';
import { isSecureUrl } from '../http/secure-url.js';
import { formatUrlForLog, type HttpHeaders, isRedirect, sendRequest } from '../http/send-request.js';
import type { ServiceClient } from '../http/service-client.js';
import type { ParseResponse } from '../service-config.js';
import type { JsonResponse } from './json-response.js';
import { parseJsonBody } from './parse-json-body.js';
import { createRefusedError } from './refused-error.js';
import { withResponseTimeout } from './with-response-timeout.js';

/** The longest answer of the issuer or the account API that is read. */
const MAX_BYTES = 1_000_000;
const MAX_ATTEMPTS = 5;

/** What every call of the issuer and the account API needs. */
export interface CallContext {
  readonly client: ServiceClient;
  /** What answers quote of these is blotted out. */
  readonly secrets: Secrets;
  /** Milliseconds: the longest wait that `retry_after` may ask for. */
  readonly maxWaitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What ends a request whose answer is given only once: losing that costs more than the wait for it. */
  readonly lastSignal?: AbortSignal | undefined;
  /** Told before each wait for a try again. */
  readonly onWait?: ((waitMs: number, error: TickhaulError) => void) | undefined;
}

export interface JsonCall {
  readonly method: string;
  readonly url: string;
  readonly headers?: HttpHeaders;
  readonly body?: string | undefined;
  /** Whether the same request may be sent again after its answer was lost; 5xx answers are always retried. */
  readonly repeatable?: boolean;
  /** Whether its answer is given only once: then `signal` ends the waits between tries, and not the request. */
  readonly once?: boolean;
  /** Tries in all; 5 by default. */
  readonly tries?: number;
}

/**
 * One call with a small JSON answer, tried again on 5xx, `rate_limit_exceeded` and a broken connection (service
 * interface, General rules). Each try ends within the client's stall timeout, however slowly bytes drip in.
 * Redirects are not followed: they would carry a secret to an address that nobody announced.
 * @throws RefusedError for any other 4xx; TickhaulError `bad_answer` for what is no right answer, `usage` for
 * an address that may not carry secrets.
 */
export async function callJson<T>(context: CallContext, call: JsonCall, check: ParseResponse<T>): Promise<T> {
  const { maxWaitMs, signal, onWait, secrets } = context;
  const { repeatable = true, tries = MAX_ATTEMPTS } = call;
  const askOnce = async (): Promise<T> => {
    if (signal?.aborted) throw abortReason(signal);
    const answer = await sendCall(context, call);
    if (!isSuccess(answer.status)) throw createRefusedError(answer, secrets);
    // A page of something in between must not pass for an answer that says nothing.
    if (answer.json === undefined && answer.hasBody) {
      throw new TickhaulError('bad_answer', `${answer.name}: the answer is not JSON`);
    }
    return check(answer.json, answer.name);
  };
  const mayRetry = (error: TickhaulError): boolean => repeatable || error.status !== undefined;
  return withRetries(askOnce, { maxAttempts: tries, maxWaitMs, signal, onWait, mayRetry });
}

async function sendCall(context: CallContext, call: JsonCall): Promise<JsonResponse> {
  const { client } = context;
  const signal = call.once === true ? context.lastSignal : context.signal;
  const url = new URL(call.url);
  const name = formatUrlForLog(url);
  assertSecureUrl(url);
  return withResponseTimeout(name, client.config.stallTimeoutMs, signal, async (end) => {
    const { method, body } = call;
    const headers = { accept: 'application/json', ...call.headers };
    const answer = await sendRequest(client, { method, url, headers, body }, end);
    if (isRedirect(answer.status)) {
      await discardBody(answer.body);
      throw new TickhaulError('bad_answer', `${name}: a redirect to another address, which is not followed`, {
        status: answer.status,
      });
    }
    const { status, headers: found } = answer;
    const bytes = await readBody(answer.body, MAX_BYTES);
    const hasBody = /\S/.test(bytes.toString());
    // Whatever page comes with it, the status of a failure says what it is.
    if (!isSuccess(status)) return { name, status, headers: found, json: parseJsonBody(bytes), hasBody };
    if (bytes.length > MAX_BYTES) {
      throw new TickhaulError('bad_answer', `${name}: the answer has more than ${formatSize(MAX_BYTES)}`);
    }
    return { name, status, headers: found, json: parse(bytes, name), hasBody };
  });
}

/**
 * Refuses an address that may not carry secrets.
 * @throws usage error.
 */
export function assertSecureUrl(url: URL): void {
  if (isSecureUrl(url)) return;
  throw usageError(`${formatUrlForLog(url)}: secrets are sent over https only: give an https:// address`);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function parse(body: Buffer, name: string): unknown {
  const json = parseJsonBody(body);
  try {
    JSON.stringify(json);
    return json;
  } catch (cause) {
    throw new TickhaulError('bad_answer', `${name}: the answer is nested too deeply`, { cause });
  }
}
