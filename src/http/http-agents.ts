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

/** What requests are sent through: of undici's Dispatcher what is used of it. */
export interface Connections {
  dispatch(request: DispatchedRequest, handler: ResponseHandler): boolean;
}

/** Holds an answer back, or ends it; of no effect on one that is over. */
export interface RequestController {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** Names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Told of one request, in this order; of an error at any time. */
export interface ResponseHandler {
  onRequestStart(controller: RequestController): void;
  /** Before the answer's, those of interim answers (RFC 9110, section 15.2). */
  onResponseStart(controller: RequestController, status: number, headers: ResponseHeaders): void;
  /** The bytes as sent. */
  onResponseData(controller: RequestController, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(controller: RequestController, error: Error): void;
}

/** What connects: one agent a scheme. */
export interface HttpAgents {
  /** @param protocol of an address, as `https:`. */
  agentFor(protocol: string): Connections;
  /** Breaks off what is still running and frees the sockets. */
  close(): Promise<void>;
}

/** Nothing is connected yet. */
export function createHttpAgents({ http, https, noProxy }: ProxySettings): HttpAgents {
  const shared = {
    noProxy: noProxy,
    // A plain http address is asked for by its absolute URL: many proxies refuse CONNECT to port 80.
    proxyTunnel: false,
    clientFactory: (origin: URL, options: object) => new ProxyPool(origin, options),
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The watchdogs are our own: these two are coarse, and run on under back-pressure.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  };
  // One agent a scheme, since a single one would send https through HTTP_PROXY where HTTPS_PROXY is not set. Each is
  // made when it is needed, as that takes long.
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
