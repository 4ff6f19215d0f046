import type { Readable } from 'node:stream';
import { EnvHttpProxyAgent } from 'undici';
import { ProxyPool } from './proxy-pool.js';
import type { ProxySettings } from './proxy-settings.js';

const CONNECT_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_MS = 30_000;

export interface DispatchedRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly body: string | Uint8Array | Readable | null;
  readonly headers: Record<string, string>;
}

/** Sends requests: the part of undici's `Dispatcher` that is used here. */
export interface Connections {
  dispatch(request: DispatchedRequest, handler: ResponseHandler): boolean;
}

/** Controls the delivery of a response. Has no effect once the response has ended. */
export interface RequestController {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** Keys are in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Callbacks of one request, in this order; an error may occur at any time. */
export interface ResponseHandler {
  onRequestStart(controller: RequestController): void;
  /** Called for each interim response (RFC 9110, section 15.2) and then for the final one. */
  onResponseStart(controller: RequestController, status: number, headers: ResponseHeaders): void;
  /** Receives the bytes as sent, without decoding. */
  onResponseData(controller: RequestController, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(controller: RequestController, error: Error): void;
}

/** Opens connections, directly or through a proxy, with one agent per URL scheme. */
export interface HttpAgents {
  /** @param protocol of a URL, such as `https:`. */
  agentFor(protocol: string): Connections;
  /** Aborts running requests and closes all sockets. */
  close(): Promise<void>;
}

/** Creates agents that connect only when a request is sent. */
export function createHttpAgents({ http, https, noProxy }: ProxySettings): HttpAgents {
  const shared = {
    noProxy,
    // Send plain http requests to the proxy as absolute URLs: many proxies refuse CONNECT to port 80.
    proxyTunnel: false,
    clientFactory: (origin: URL, options: object) => new ProxyPool(origin, options),
    keepAliveTimeout: KEEP_ALIVE_MS,
    // WatchedBody and sendHttpRequest detect stalls: undici's timeouts are coarse and also run under
    // back-pressure.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  };
  // One agent per scheme: a single agent would send https requests through HTTP_PROXY if HTTPS_PROXY is not
  // set. Agents are created on first use, since creation is slow.
  const proxies: Readonly<Record<string, object>> = {
    'http:': { httpProxy: http, httpsProxy: '' },
    'https:': { httpProxy: '', httpsProxy: https },
  };
  const agents = new Map<string, EnvHttpProxyAgent>();
  return {
    agentFor(protocol) {
      const agent = agents.get(protocol) ?? new EnvHttpProxyAgent({ ...shared, ...proxies[protocol] });
      agents.set(protocol, agent);
      return agent;
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}
