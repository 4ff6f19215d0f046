import { Readable } from 'node:stream';
import { createHttpAgents } from '../../http/http-agents.js';
import { toNetworkError } from '../../http/network-error.js';
import type { ProxySettings } from '../../http/proxy-settings.js';
import { type RequestLog, startRequestLog } from '../../http/request-log.js';
import { sendHttpRequest } from '../../http/send-http-request.js';
import { readBody } from '../../http/watched-body.js';
import { formatS3Request, type QueryParameters } from './format-s3-request.js';

/** A request as the SDK signed it. */
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

/** What the SDK takes for an answer, by its fields. */
interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable | Uint8Array;
}

/** What the SDK asks of whoever sends for it, and may look at. */
export interface S3RequestHandler {
  handle(
    request: SignedRequest,
    options?: { readonly abortSignal?: object },
  ): Promise<{ response: SdkResponse }>;
  destroy(): void;
}

export interface HandlerOptions {
  readonly proxies: ProxySettings;
  /** Milliseconds without progress. */
  readonly stallTimeoutMs: number;
  /** Told of each try; of an object whose bytes break off, once more. */
  readonly onRequest?: RequestLog | undefined;
}

/**
 * Sends what the SDK signed over the same connections as requests to the service: the same proxies, the same errors, and
 * a watch over stalls, of which the SDK has none. An object's bytes come as they are read, all else in one piece.
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
      const sent = {
        origin: `${protocol}//${host}`,
        path: path + formatQuery(query),
        method,
        headers,
        body: typeof body === 'string' || body instanceof Uint8Array ? body : null,
      };
      const signal = options.abortSignal instanceof AbortSignal ? options.abortSignal : undefined;
      const told = startRequestLog(onRequest, () => formatS3Request({ method, host, path, query, headers }));
      try {
        const answer = await sendHttpRequest(agents.agentFor(protocol), sent, {
          name: host,
          stallTimeoutMs,
          signal,
        });
        const isObject = query['x-id'] === 'GetObject' && answer.status < 300;
        const received = isObject
          ? Readable.from(answer.body, { objectMode: false }).once('error', told.onFailure)
          : await readBody(answer.body);
        told.onResponse(answer.status);
        return { response: { statusCode: answer.status, headers: answer.headers, body: received } };
      } catch (error) {
        const failure = toNetworkError(error, host);
        told.onFailure(failure);
        throw failure;
      }
    },
    destroy: () => void agents.close(),
  };
}

/** As it was signed. */
function formatQuery(query: QueryParameters): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .map((one) => (one === null ? escapeRfc3986(name) : `${escapeRfc3986(name)}=${escapeRfc3986(one)}`)),
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** RFC 3986, which leaves fewer characters than `encodeURIComponent`. */
function escapeRfc3986(text: string): string {
  const hex = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, hex);
}
