import type { Duplex, Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { TickhaulError } from '../base/errors.js';
import {
  createProxyAuthorization,
  type Env,
  findProxy,
  type ProxyServer,
  type ProxySettings,
  readProxySettings,
} from './proxy-settings.js';
import { openSocksTunnel, type TunnelTarget } from './socks-tunnel.js';

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

/** Opens connections, directly or through the proxy of an address. */
export interface HttpAgents {
  agentFor(url: URL): Connections;
  /** Aborts running requests and closes all sockets. */
  close(): Promise<void>;
}

const SHARED_OPTIONS = {
  keepAliveTimeout: KEEP_ALIVE_MS,
  // WatchedBody and sendHttpRequest detect stalls: undici's timeouts are coarse and also run under
  // back-pressure.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

/** Creates agents that connect only when a request is sent. */
export function createHttpAgents(proxies: ProxySettings): HttpAgents {
  // Created on first use, since creation is slow. Addresses with the same proxy share an agent.
  const agents = new Map<string | undefined, Dispatcher>();
  return {
    agentFor(url) {
      const proxy = findProxy(proxies, url);
      const agent = agents.get(proxy?.url.href) ?? createAgent(proxy);
      agents.set(proxy?.url.href, agent);
      return agent;
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

function createAgent(proxy: ProxyServer | undefined): Dispatcher {
  const connect = { timeout: CONNECT_TIMEOUT_MS };
  if (!proxy) return new Agent({ ...SHARED_OPTIONS, connect });
  if (proxy.url.protocol.startsWith('socks')) {
    return new Agent({ ...SHARED_OPTIONS, connect: createSocksConnector(proxy) });
  }
  const authorization = createProxyAuthorization(proxy);
  return new ProxyAgent({
    ...SHARED_OPTIONS,
    connect,
    uri: proxy.url.href,
    // undici sends no login without a password.
    ...(authorization !== undefined && { token: authorization }),
    // Send plain http requests to the proxy as absolute URLs: many proxies refuse CONNECT to port 80.
    proxyTunnel: false,
    clientFactory: (origin: URL, options: object) => new ProxyPool(origin, options),
  });
}

/** undici's SOCKS agent is not used: it has the proxy resolve all names, and warns that it is experimental. */
function createSocksConnector(proxy: ProxyServer): buildConnector.connector {
  const connectTls = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
  return (options, callback) => {
    const isSecure = options.protocol === 'https:';
    const target = { hostname: options.hostname, port: Number(options.port) || (isSecure ? 443 : 80) };
    openSocksTunnel(proxy, target).then(
      (httpSocket) =>
        isSecure ? connectTls({ ...options, httpSocket }, callback) : callback(null, httpSocket),
      (error: Error) => callback(error, null),
    );
  };
}

/**
 * Connections to a proxy for tunnels. If a proxy closes the connection instead of answering CONNECT, undici
 * mistakes the socket error for that of an idle connection and reconnects forever. Converting the error makes
 * the request fail.
 */
class ProxyPool extends Pool {
  override connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData>;
  override connect(
    options: Dispatcher.ConnectOptions,
    callback: (error: Error | null, data: Dispatcher.ConnectData) => void,
  ): void;
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    try {
      return await super.connect(options);
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_SOCKET')) throw cause;
      throw new TickhaulError(
        'unreachable',
        `${options.path} cannot be reached: the proxy closed the connection; check HTTPS_PROXY and NO_PROXY`,
        { cause },
      );
    }
  }
}

/** Opens a connection to an address through a proxy. */
export type Tunnel = (signal: AbortSignal) => Promise<Duplex>;

/**
 * Creates the tunnel of a WebSocket through the proxy that the environment sets for its address. `ws` uses a tunnel
 * too, since most proxies do not forward the upgrade of a plain request.
 * @param url `ws://…` or `wss://…`.
 * @returns undefined if the WebSocket connects directly.
 * @throws usage error for a proxy that is not a URL, or of a kind that is not supported.
 */
export function createTunnel(env: Env, url: URL): Tunnel | undefined {
  const proxy = findProxy(readProxySettings(env), url);
  if (!proxy) return undefined;
  const isSecure = url.protocol === 'wss:';
  const target = { hostname: url.hostname, port: Number(url.port) || (isSecure ? 443 : 80) };
  const open = proxy.url.protocol.startsWith('socks') ? openSocksTunnel : openHttpTunnel;
  return async (signal) => {
    const socket = await open(proxy, target, signal);
    if (!isSecure) return socket;
    return connectTls({ socket, servername: serverName(url), ALPNProtocols: ['http/1.1'] });
  };
}

/** @throws TickhaulError `unreachable` for a refusal. */
async function openHttpTunnel(
  proxy: ProxyServer,
  { hostname, port }: TunnelTarget,
  signal: AbortSignal,
): Promise<Duplex> {
  const { origin } = proxy.url;
  const path = `${hostname}:${port}`;
  const authorization = createProxyAuthorization(proxy);
  const headers = {
    host: path,
    ...(authorization !== undefined && { 'proxy-authorization': authorization }),
  };
  const pool = new ProxyPool(origin, { connect: { timeout: CONNECT_TIMEOUT_MS } });
  try {
    const { socket, statusCode } = await pool.connect({ origin, path, headers, signal });
    if (statusCode === 200) return socket;
    socket.on('error', () => {}).destroy();
    throw createTunnelError(path, proxy.variable, statusCode);
  } finally {
    // The pool no longer owns the tunnel's socket, so closing the pool does not close the tunnel.
    void pool.close();
  }
}

function createTunnelError(host: string, variable: string, status: number): TickhaulError {
  const problem =
    status === 407
      ? `the proxy answered 407; add user and password to ${variable}`
      : `the proxy answered ${status}; check ${variable} and NO_PROXY`;
  return new TickhaulError('unreachable', `${host} cannot be reached: ${problem}`);
}

/** Server name indication; empty for an IP address (RFC 6066, section 3). */
function serverName({ hostname }: URL): string {
  return /^[\d.]+$|^\[/.test(hostname) ? '' : hostname;
}
