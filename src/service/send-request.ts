import { abortReason, TickhaulError } from '../base/errors.js';
import { redactSecret } from '../base/secrets.js';
import { formatDuration } from '../base/units.js';
import { startDeadline } from '../base/wait.js';
import { toNetworkError } from '../http/network-error.js';
import { sendHttpRequest, startRequestLog } from '../http/send-http-request.js';
import { discardBody, type ResponseBody } from '../http/watched-body.js';
import type { ServiceClient } from './service-client.js';

const MAX_REDIRECTS = 5;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

export type HttpHeaders = Readonly<Record<string, string>>;

/** A response of any status but a redirect; its body must be read, discarded or destroyed. */
export interface ServiceResponse {
  /** The final address after redirects, as messages show it. */
  readonly name: string;
  readonly status: number;
  /** Names in lower case; repeated headers joined with a comma. */
  readonly headers: HttpHeaders;
  /** Headers of the redirects before this response, in order. */
  readonly redirects: readonly HttpHeaders[];
  /** The bytes as sent, never decoded; guarded by the stall timeout. */
  readonly body: ResponseBody;
}

/** Formats an address for messages and logs: without query (it may be signed), user and password. */
export function formatUrlForLog(url: URL): string {
  return `${url.host}${url.pathname}`;
}

/** One request. Secrets belong in headers and body, never in the URL. */
export interface ServiceRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: HttpHeaders;
  readonly body?: string | undefined;
}

/**
 * Sends one GET request and follows its redirects (`docs/spec/datasets-api.md#request`). No status is an error here.
 * @throws TickhaulError `unreachable`, `reset`, `stalled`, or `bad_answer` for a redirect that may not be followed;
 * the signal's reason when aborted.
 */
export async function sendGet(
  client: ServiceClient,
  address: string,
  headers: HttpHeaders,
  signal: AbortSignal | undefined,
): Promise<ServiceResponse> {
  const redirects: HttpHeaders[] = [];
  let url = new URL(address);
  let sentHeaders = headers;
  for (;;) {
    const response = await sendRequest(client, { method: 'GET', url, headers: sentHeaders }, signal);
    const location = isRedirect(response.status) ? response.headers['location'] : undefined;
    if (location === undefined) return { ...response, redirects };
    await discardBody(response.body);
    redirects.push(response.headers);
    if (redirects.length > MAX_REDIRECTS) {
      throw new TickhaulError(
        'bad_answer',
        `${response.name}: too many redirects (more than ${MAX_REDIRECTS})`,
        {
          status: response.status,
        },
      );
    }
    const next = resolveRedirect(url, location, response);
    // A later redirect back to the first origin must not get the key either (RFC 9110, section 15.4).
    if (next.origin !== url.origin) sentHeaders = withoutAuthorization(sentHeaders);
    url = next;
  }
}

function resolveRedirect(
  from: URL,
  location: string,
  { name, status }: Pick<ServiceResponse, 'name' | 'status'>,
): URL {
  const reject = (problem: string): never => {
    throw new TickhaulError('bad_answer', `${name}: ${problem}, which is not followed`, { status });
  };
  const address = escapeBytes(location);
  if (!URL.canParse(address, from.href)) return reject('redirect to an invalid URL');
  const target = new URL(address, from);
  if (target.protocol !== 'https:' && target.protocol !== 'http:') {
    return reject(`redirect to a ${target.protocol} address`);
  }
  if (from.protocol === 'https:' && target.protocol === 'http:') return reject('redirect from https to http');
  return target;
}

/**
 * Escapes the bytes of a header beyond ASCII, which the HTTP client passes as characters of Latin-1. An address in UTF-8
 * then keeps its bytes; parsed as text, it would be encoded once more, and a signed address would not match.
 */
function escapeBytes(header: string): string {
  return header.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

function withoutAuthorization(headers: HttpHeaders): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'authorization'));
}

/** Whether a status redirects to another address. */
export function isRedirect(status: number): boolean {
  return REDIRECT_STATUSES.has(status);
}

/**
 * Sends one request of any method without following redirects. No status is an error here.
 * @throws TickhaulError `unreachable`, `reset`, `stalled`; the signal's reason when aborted.
 */
export async function sendRequest(
  client: ServiceClient,
  { method, url, headers, body: requestBody }: ServiceRequest,
  signal: AbortSignal | undefined,
): Promise<Omit<ServiceResponse, 'redirects'>> {
  // Loading the HTTP client does not count towards the response timeout.
  const connections = await client.connectionsFor(url);
  if (signal?.aborted) throw abortReason(signal);
  const { stallTimeoutMs, onRequest, apiKey } = client.config;
  // A redirect may lead to a path with the key.
  const name = redactSecret(formatUrlForLog(url), apiKey);
  const request = {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    body: requestBody ?? null,
    headers: { 'accept-encoding': 'identity', ...headers },
  };
  const requestLog = startRequestLog(onRequest, () => `${method} ${name}`);
  try {
    const response = await sendHttpRequest(connections, request, { name, stallTimeoutMs, signal });
    requestLog.onResponse(response.status);
    return { name, ...response };
  } catch (error) {
    const failure = toNetworkError(error, url.host);
    requestLog.onFailure(failure);
    throw failure;
  }
}

/**
 * Sends a request and reads its small response, and aborts both after a time limit, even if bytes keep arriving.
 * @param name host and path, for the error. @param timeoutMs limit for request and response together.
 * @throws TickhaulError `stalled`; `reset` for a truncated response, since no data are corrupt; errors of `send`.
 */
export async function withResponseTimeout<T>(
  name: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const message = `${name}: response not complete within ${formatDuration(timeoutMs)}`;
  const deadline = startDeadline(timeoutMs, new TickhaulError('stalled', message));
  try {
    return await send(signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal);
  } catch (error) {
    if (!(error instanceof TickhaulError) || error.code !== 'short_body') throw error;
    throw new TickhaulError('reset', error.message, { cause: error });
  } finally {
    deadline.clear();
  }
}
