import { abortReason, TickhaulError, usageError } from '../../base/errors.js';
import { withRetries } from '../../base/retry.js';
import type { Secrets } from '../../base/secrets.js';
import { formatSize } from '../../base/units.js';
import { discardBody, readBody } from '../../http/body-watch.js';
import type { Client } from '../http/client.js';
import { type Headers, isRedirect, send, shownUrl } from '../http/http.js';
import { isSecureUrl } from '../http/secure-url.js';
import type { Check } from '../types.js';
import type { JsonAnswer } from './json-answer.js';
import { jsonOf } from './json-body.js';
import { refusedError } from './refused-error.js';
import { wholeAnswer } from './whole-answer.js';

/** The longest answer of the issuer or the account API that is read. */
const MAX_BYTES = 1_000_000;
const TRIES = 5;

/** What every call of the issuer and the account API needs. */
export interface CallContext {
  readonly client: Client;
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
  readonly headers?: Headers;
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
export async function callJson<T>(context: CallContext, call: JsonCall, check: Check<T>): Promise<T> {
  const { maxWaitMs, signal, onWait, secrets } = context;
  const { repeatable = true, tries = TRIES } = call;
  const askOnce = async (): Promise<T> => {
    if (signal?.aborted) throw abortReason(signal);
    const answer = await answerOf(context, call);
    if (!isSuccess(answer.status)) throw refusedError(answer, secrets);
    // A page of something in between must not pass for an answer that says nothing.
    if (answer.json === undefined && answer.hasBody) {
      throw new TickhaulError('bad_answer', `${answer.name}: the answer is not JSON`);
    }
    return check(answer.json, answer.name);
  };
  const mayRetry = (error: TickhaulError): boolean => repeatable || error.status !== undefined;
  return withRetries(askOnce, { tries, maxWaitMs, signal, onWait, mayRetry });
}

async function answerOf(context: CallContext, call: JsonCall): Promise<JsonAnswer> {
  const { client } = context;
  const signal = call.once === true ? context.lastSignal : context.signal;
  const url = new URL(call.url);
  const name = shownUrl(url);
  refuseInsecure(url);
  return wholeAnswer(name, client.config.stallTimeoutMs, signal, async (end) => {
    const { method, body } = call;
    const headers = { accept: 'application/json', ...call.headers };
    const answer = await send(client, { method, url, headers, body }, end);
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
    if (!isSuccess(status)) return { name, status, headers: found, json: jsonOf(bytes), hasBody };
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
export function refuseInsecure(url: URL): void {
  if (isSecureUrl(url)) return;
  throw usageError(`${shownUrl(url)}: secrets are sent over https only: give an https:// address`);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function parse(body: Buffer, name: string): unknown {
  const json = jsonOf(body);
  try {
    JSON.stringify(json);
    return json;
  } catch (cause) {
    throw new TickhaulError('bad_answer', `${name}: the answer is nested too deeply`, { cause });
  }
}
