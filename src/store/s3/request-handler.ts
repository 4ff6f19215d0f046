import { Readable } from 'node:stream';
import { createAgents } from '../../http/agents.js';
import { readBody } from '../../http/body-watch.js';
import { exchange } from '../../http/exchange.js';
import { networkError } from '../../http/network-error.js';
import type { Proxies } from '../../http/proxy-env.js';
import { beginTold, type OnRequest } from '../../http/told-request.js';
import { type Query, shownRequest } from './shown-request.js';

/** A request as the SDK signed it. */
interface SignedRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly query?: Query;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

/** What the SDK takes for an answer, by its fields. */
interface SdkAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable | Uint8Array;
}

/** What the SDK asks of whoever sends for it, and may look at. */
export interface RequestHandler {
  handle(
    request: SignedRequest,
    options?: { readonly abortSignal?: object },
  ): Promise<{ response: SdkAnswer }>;
  destroy(): void;
}

export interface HandlerOptions {
  readonly proxies: Proxies;
  /** Milliseconds without progress. */
  readonly stallTimeoutMs: number;
  /** Told of each try; of an object whose bytes break off, once more. */
  readonly onRequest?: OnRequest | undefined;
}

/**
 * Sends what the SDK signed over the same connections as requests to the service: the same proxies, the same errors, and
 * a watch over stalls, of which the SDK has none. An object's bytes come as they are read, all else in one piece.
 */
export function createRequestHandler({ proxies, stallTimeoutMs, onRequest }: HandlerOptions): RequestHandler {
  const agents = createAgents(proxies);
  return {
    async handle({ protocol, hostname, port, path, query = {}, method, headers, body }, options = {}) {
      const host = port === undefined ? hostname : `${hostname}:${port}`;
      const sent = {
        origin: `${protocol}//${host}`,
        path: path + queryText(query),
        method,
        headers,
        body: typeof body === 'string' || body instanceof Uint8Array ? body : null,
      };
      const signal = options.abortSignal instanceof AbortSignal ? options.abortSignal : undefined;
      const told = beginTold(onRequest, () => shownRequest({ method, host, path, query, headers }));
      try {
        const answer = await exchange(agents.agentFor(protocol), sent, {
          name: host,
          stallTimeoutMs,
          signal,
        });
        const isObject = query['x-id'] === 'GetObject' && answer.status < 300;
        const received = isObject
          ? Readable.from(answer.body, { objectMode: false }).once('error', told.failed)
          : await readBody(answer.body);
        told.answered(answer.status);
        return { response: { statusCode: answer.status, headers: answer.headers, body: received } };
      } catch (error) {
        const failure = networkError(error, host);
        told.failed(failure);
        throw failure;
      }
    },
    destroy: () => void agents.close(),
  };
}

/** As it was signed. */
function queryText(query: Query): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => (one === null ? escaped(name) : `${escaped(name)}=${escaped(one)}`)),
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** RFC 3986, which leaves fewer characters than `encodeURIComponent`. */
function escaped(text: string): string {
  const hex = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, hex);
}
