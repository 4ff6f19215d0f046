import { EnvHttpProxyAgent } from 'undici';
import { usageError } from '../../base/errors.js';
import type { ServiceConfig } from '../types.js';
import { proxyOf, variable } from './proxy-env.js';
import { ProxyPool } from './proxy-pool.js';
import { type Tunnel, tunnelFor } from './tunnel.js';

const CONNECT_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_MS = 30_000;

/** The connections of one run, kept alive between requests. */
export interface Client {
  /** As given, with a trimmed key and with addresses that are known to be URLs. */
  readonly config: ServiceConfig;
  /** The connections to use for this address: direct, or through the proxy the environment names. */
  connectionsFor(url: URL): Connections;
  /** How a WebSocket to this address goes through that proxy; undefined where it connects directly. @throws usage error. */
  tunnelTo(url: URL): Tunnel | undefined;
  /** Breaks off what is still running and frees the sockets. */
  close(): Promise<void>;
}

export interface SentRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly body: string | null;
  readonly headers: Record<string, string>;
}

/** What requests are sent through: of undici's Dispatcher what is used of it. */
export interface Connections {
  dispatch(request: SentRequest, handler: AnswerHandler): boolean;
}

/** Holds an answer back, or ends it; of no effect on one that is over. */
export interface RequestController {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** Names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Told of one request, in this order; of an error at any time. */
export interface AnswerHandler {
  onRequestStart(controller: RequestController): void;
  /** Before the answer's, those of interim answers (RFC 9110, section 15.2). */
  onResponseStart(controller: RequestController, status: number, headers: AnswerHeaders): void;
  /** The bytes as sent. */
  onResponseData(controller: RequestController, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(controller: RequestController, error: Error): void;
}

/**
 * Prepares the connections to the service; nothing is connected yet.
 * @throws usage error for an address or a proxy that is no http(s) URL, or a key that cannot be sent.
 */
export function createClient(config: ServiceConfig): Client {
  const checked: ServiceConfig = {
    ...config,
    apiUrl: checkedUrl('API URL', config.apiUrl),
    datasetsUrl: checkedUrl('datasets URL', config.datasetsUrl),
    apiKey: checkedKey(config.apiKey),
  };
  const http = proxyOf(config.env, 'HTTP_PROXY');
  const https = proxyOf(config.env, 'HTTPS_PROXY');
  const noProxy = variable(config.env, 'NO_PROXY') ?? '';
  const shared = {
    noProxy,
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
    config: checked,
    connectionsFor({ protocol }) {
      const agent = agents.get(protocol) ?? new EnvHttpProxyAgent({ ...shared, ...proxies[protocol] });
      agents.set(protocol, agent);
      return agent;
    },
    tunnelTo: (url) => tunnelFor(config.env, url),
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

function checkedUrl(name: string, text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw usageError(`the ${name} "${text}" is not a URL: write it with its scheme, as in https://host`);
  }
  return text.replace(/\/+$/, '');
}

function checkedKey(key: string | undefined): string | undefined {
  const trimmed = key?.trim();
  if (!trimmed) return undefined;
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw usageError('the API key holds a blank, a line break or a character that no key has: copy it again');
  }
  return trimmed;
}
