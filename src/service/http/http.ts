import { abortReason, TickhaulError } from '../../base/errors.js';
import { type Body, discardBody } from '../../http/body-watch.js';
import { exchange } from '../../http/exchange.js';
import { networkError } from '../../http/network-error.js';
import { beginTold } from '../../http/told-request.js';
import type { Client } from './client.js';

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export type Headers = Readonly<Record<string, string>>;

/** An answer of any status but a redirect; its body must be read, discarded or destroyed. */
export interface HttpAnswer {
  /** The address that answered in the end, as messages show it. */
  readonly name: string;
  readonly status: number;
  /** Names in lower case; repeated headers joined with a comma. */
  readonly headers: Headers;
  /** The headers of the redirects that led here, first one first. */
  readonly redirects: readonly Headers[];
  /** The bytes as sent, never decoded, under the stall watchdog. */
  readonly body: Body;
}

/** An address for messages and logs: no query (it may be signed), no user, no password. */
export function shownUrl(url: URL): string {
  return `${url.host}${url.pathname}`;
}

/** One request; what is secret goes into headers and body, never into the URL. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: string | undefined;
}

/**
 * One GET request with its redirects followed; no status is an error here.
 * @throws TickhaulError `unreachable`, `reset`, `stalled`, or `bad_answer` for a redirect that may not be
 * followed; the signal's reason when aborted.
 */
export async function get(
  client: Client,
  address: string,
  headers: Headers,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
  const redirects: Headers[] = [];
  let url = new URL(address);
  let sent = headers;
  for (;;) {
    const answer = await send(client, { method: 'GET', url, headers: sent }, signal);
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
    throw new TickhaulError('bad_answer', `${shownUrl(from)}: ${what}, which is not followed`, { status });
  };
  if (!URL.canParse(location, from.href)) return refuse('redirect to something that is no URL');
  const target = new URL(location, from);
  if (target.protocol !== 'https:' && target.protocol !== 'http:') {
    return refuse(`redirect to a ${target.protocol} address`);
  }
  if (from.protocol === 'https:' && target.protocol === 'http:') return refuse('redirect from https to http');
  return target;
}

function withoutAuthorization(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'authorization'));
}

/** Whether the answer sends its asker to another address. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

/**
 * One request of any method, without following redirects; no status is an error here.
 * @throws TickhaulError `unreachable`, `reset`, `stalled`; the signal's reason when aborted.
 */
export async function send(
  client: Client,
  { method, url, headers, body: sentBody }: HttpRequest,
  signal: AbortSignal | undefined,
): Promise<Omit<HttpAnswer, 'redirects'>> {
  // What has to be loaded for it is no part of the wait for an answer.
  const connections = await client.connectionsFor(url);
  if (signal?.aborted) throw abortReason(signal);
  const { stallTimeoutMs, onRequest } = client.config;
  const name = shownUrl(url);
  const request = {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    body: sentBody ?? null,
    headers: { 'accept-encoding': 'identity', ...headers },
  };
  const told = beginTold(onRequest, () => `${method} ${name}`);
  try {
    const answer = await exchange(connections, request, { name, stallTimeoutMs, signal });
    told.answered(answer.status);
    return { name, ...answer };
  } catch (error) {
    const failure = networkError(error, url.host);
    told.failed(failure);
    throw failure;
  }
}
