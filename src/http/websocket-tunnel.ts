import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { TickhaulError } from '../base/errors.js';
import { ProxyPool } from './http-agents.js';
import {
  createProxyAuthorization,
  type Env,
  findProxy,
  type ProxyServer,
  readProxySettings,
} from './proxy-settings.js';
import { openSocksTunnel, type TunnelTarget } from './socks-tunnel.js';

const CONNECT_TIMEOUT_MS = 15_000;

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
