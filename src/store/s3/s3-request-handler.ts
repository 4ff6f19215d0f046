import { unescape as decoded } from 'node:querystring';
import { Readable } from 'node:stream';
import { TickhaulError } from '../../base/errors.js';
import { sanitizeForTerminal } from '../../base/text.js';
import { describeFrontRefusal, findPageTitle, isFrontRefusal } from '../../http/failed-response.js';
import { createHttpAgents } from '../../http/http-agents.js';
import { toNetworkError } from '../../http/network-error.js';
import type { ProxySettings } from '../../http/proxy-settings.js';
import {
  type HttpResponse,
  type RequestLog,
  sendHttpRequest,
  startRequestLog,
} from '../../http/send-http-request.js';
import { readBody } from '../../http/watched-body.js';

/** A request signed by the SDK. */
interface SignedRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly query?: QueryParameters;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

/** A response with the fields that the SDK expects. */
interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable | Uint8Array;
}

/** The interface that the SDK expects of a request handler. */
export interface S3RequestHandler {
  handle(
    request: SignedRequest,
    options?: { readonly abortSignal?: object },
  ): Promise<{ response: SdkResponse }>;
  destroy(): void;
}

export interface HandlerOptions {
  readonly proxies: ProxySettings;
  /** Longest time without progress. */
  readonly stallTimeoutMs: number;
  /** Receives a line about each attempt, and another if the body of an object breaks off. */
  readonly onRequest?: RequestLog | undefined;
}

/**
 * Sends the SDK's requests over the same connections as requests to the service: with the same proxies,
 * errors and stall detection, which the SDK lacks. Objects are streamed; all other responses are read as a
 * whole.
 */
export function createS3RequestHandler({
  proxies,
  stallTimeoutMs,
  onRequest,
}: HandlerOptions): S3RequestHandler {
  const agents = createHttpAgents(proxies);
  return {
    async handle({ protocol, hostname, port, path, query = {}, method, headers, body }, options = {}) {
      const host = port === undefined ? hostname : `${hostname}:${port}`;
      const request = {
        origin: `${protocol}//${host}`,
        path: path + formatQuery(query),
        method,
        headers,
        body: typeof body === 'string' || body instanceof Uint8Array ? body : null,
      };
      const signal = options.abortSignal instanceof AbortSignal ? options.abortSignal : undefined;
      const logged = startRequestLog(onRequest, () =>
        formatS3Request({ method, host, path, query, headers }),
      );
      try {
        const response = await sendHttpRequest(agents.agentFor(new URL(request.origin)), request, {
          name: host,
          stallTimeoutMs,
          signal,
        });
        const isObject = query['x-id'] === 'GetObject' && response.status < 300;
        const responseBody = isObject
          ? Readable.from(response.body, { objectMode: false }).once('error', logged.onFailure)
          : await readBody(response.body);
        if (responseBody instanceof Uint8Array) assertStoreResponse(host, response, responseBody);
        logged.onResponse(response.status);
        return { response: { statusCode: response.status, headers: response.headers, body: responseBody } };
      } catch (error) {
        const failure = toNetworkError(error, host);
        logged.onFailure(failure);
        throw failure;
      }
    },
    destroy: () => void agents.close(),
  };
}

/** @throws TickhaulError `bad_answer` for the page of a server before the store, which would look like a refusal of the key. */
function assertStoreResponse(host: string, { status, headers }: HttpResponse, body: Uint8Array): void {
  if (status !== 401 && status !== 403) return;
  const title = findPageTitle(headers['content-type'], Buffer.from(body).toString());
  if (!isFrontRefusal(status, title)) return;
  throw new TickhaulError('bad_answer', `${host}: ${describeFrontRefusal(status, title)}`, { status });
}

/** Formats the query exactly as the SDK has signed it. */
function formatQuery(query: QueryParameters): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .map((item) => (item === null ? escapeRfc3986(name) : `${escapeRfc3986(name)}=${escapeRfc3986(item)}`)),
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** Escapes all characters that RFC 3986 reserves; `encodeURIComponent` leaves some of them. */
function escapeRfc3986(text: string): string {
  const hex = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, hex);
}

/** Query parameters by name; null for a parameter without a value. */
export type QueryParameters = Readonly<Record<string, string | string[] | null>>;

/** The parts of a request that may be logged. */
interface LoggedS3Request {
  readonly method: string;
  /** With its port, unless it is the default port. */
  readonly host: string;
  /** Percent-encoded. */
  readonly path: string;
  readonly query: QueryParameters;
  /** Keys are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Query parameters that are shown with their value. Parameters that are not listed here may be secret. */
const SHOWN_PARAMETERS = new Set(['list-type', 'prefix', 'partNumber']);
/** Query parameters that are shown without their value. */
const NAMED_PARAMETERS = new Set(['continuation-token', 'delete', 'key-marker', 'uploadId', 'uploads']);

/** Formats a request for the log: method, address and byte range, without secrets. */
export function formatS3Request({ method, host, path, query, headers }: LoggedS3Request): string {
  const parts = Object.entries(query).flatMap(([name, value]) => {
    if (NAMED_PARAMETERS.has(name)) return [name];
    return SHOWN_PARAMETERS.has(name) ? [`${name}=${String(value)}`] : [];
  });
  const shownQuery = parts.length === 0 ? '' : `?${parts.join('&')}`;
  const { range } = headers;
  const bytes = range === undefined ? '' : ` ${range}`;
  return sanitizeForTerminal(`${method} ${host}${decoded(path)}${shownQuery}${bytes}`);
}
