import { abortReason, TickhaulError } from '../../base/errors.js';
import { toNetworkError } from '../../http/network-error.js';
import { startRequestLog } from '../../http/request-log.js';
import { sendHttpRequest } from '../../http/send-http-request.js';
import { discardBody, type ResponseBody } from '../../http/watched-body.js';
import type { ServiceClient } from './service-client.js';

const MAX_REDIRECTS = 5;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

export type HttpHeaders = Readonly<Record<string, string>>;

/** An answer of any status but a redirect; its body must be read, discarded or destroyed. */
export interface ServiceResponse {
  /** The address that answered in the end, as messages show it. */
  readonly name: string;
  readonly status: number;
  /** Names in lower case; repeated headers joined with a comma. */
  readonly headers: HttpHeaders;
  /** The headers of the redirects that led here, first one first. */
  readonly redirects: readonly HttpHeaders[];
  /** The bytes as sent, never decoded, under the stall watchdog. */
  readonly body: ResponseBody;
}

/** An address for messages and logs: no query (it may be signed), no user, no password. */
export function formatUrlForLog(url: URL): string {
  return `${url.host}${url.pathname}`;
}

/** One request; what is secret goes into headers and body, never into the URL. */
export interface ServiceRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: HttpHeaders;
  readonly body?: string | undefined;
}

/**
 * One GET request with its redirects followed; no status is an error here.
 * @throws TickhaulError `unreachable`, `reset`, `stalled`, or `bad_answer` for a redirect that may not be
 * followed; the signal's reason when aborted.
 */
export async function sendGet(
  client: ServiceClient,
  address: string,
  headers: HttpHeaders,
  signal: AbortSignal | undefined,
): Promise<ServiceResponse> {
  const redirects: HttpHeaders[] = [];
  let url = new URL(address);
  let sent = headers;
  for (;;) {
    const answer = await sendRequest(client, { method: 'GET', url, headers: sent }, signal);
    const location = isRedirect(answer.status) ? answer.headers['location'] : undefined;
    if (location === undefined) return { ...answer, redirects };
    await discardBody(answer.body);
    redirects.push(answer.headers);
    if (redirects.length > MAX_REDIRECTS) {
      throw new TickhaulError('bad_answer', `${answer.name}: more than ${MAX_REDIRECTS} redirects`, {
        status: answer.status,
      });
    }
    const next = redirectTarget(url, location, answer.status);
    // Once gone the key stays gone, even if a later redirect leads back (RFC 9110, section 15.4).
    if (next.origin !== url.origin) sent = withoutAuthorization(sent);
    url = next;
  }
}

function redirectTarget(from: URL, location: string, status: number): URL {
  const refuse = (what: string): never => {
    throw new TickhaulError('bad_answer', `${formatUrlForLog(from)}: ${what}, which is not followed`, {
      status,
    });
  };
  if (!URL.canParse(location, from.href)) return refuse('redirect to something that is no URL');
  const target = new URL(location, from);
  if (target.protocol !== 'https:' && target.protocol !== 'http:') {
    return refuse(`redirect to a ${target.protocol} address`);
  }
  if (from.protocol === 'https:' && target.protocol === 'http:') return refuse('redirect from https to http');
  return target;
}

function withoutAuthorization(headers: HttpHeaders): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'authorization'));
}

/** Whether the answer sends its asker to another address. */
export function isRedirect(status: number): boolean {
  return REDIRECT_STATUSES.has(status);
}

/**
 * One request of any method, without following redirects; no status is an error here.
 * @throws TickhaulError `unreachable`, `reset`, `stalled`; the signal's reason when aborted.
 */
export async function sendRequest(
  client: ServiceClient,
  { method, url, headers, body: sentBody }: ServiceRequest,
  signal: AbortSignal | undefined,
): Promise<Omit<ServiceResponse, 'redirects'>> {
  // What has to be loaded for it is no part of the wait for an answer.
  const connections = await client.connectionsFor(url);
  if (signal?.aborted) throw abortReason(signal);
  const { stallTimeoutMs, onRequest } = client.config;
  const name = formatUrlForLog(url);
  const request = {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    body: sentBody ?? null,
    headers: { 'accept-encoding': 'identity', ...headers },
  };
  const told = startRequestLog(onRequest, () => `${method} ${name}`);
  try {
    const answer = await sendHttpRequest(connections, request, { name, stallTimeoutMs, signal });
    told.onResponse(answer.status);
    return { name, ...answer };
  } catch (error) {
    const failure = toNetworkError(error, url.host);
    told.onFailure(failure);
    throw failure;
  }
}
