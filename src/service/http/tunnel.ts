import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { TickhaulError, usageError } from '../../base/errors.js';
import { ProxyPool } from '../../http/proxy-pool.js';
import { bypassesProxy, readProxyUrl } from '../../http/proxy-settings.js';
import type { ServiceConfig } from '../service-config.js';

const CONNECT_TIMEOUT_MS = 15_000;

/** Opens a connection to an address through a proxy. */
export type Tunnel = (signal: AbortSignal) => Promise<Duplex>;

/**
 * Creates the tunnel of a WebSocket through the proxy that the environment sets for its address. `ws` uses a tunnel
 * too, since most proxies do not forward the upgrade of a plain request.
 * @param url `ws://…` or `wss://…`.
 * @returns undefined if the WebSocket connects directly.
 * @throws usage error for a proxy that is not an http(s) URL.
 */
export function createTunnel(env: ServiceConfig['env'], url: URL): Tunnel | undefined {
  const isSecure = url.protocol === 'wss:';
  const name = isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = readProxyUrl(env, name);
  const port = Number(url.port) || (isSecure ? 443 : 80);
  if (proxy === '' || bypassesProxy(env, { hostname: url.hostname.toLowerCase(), port })) return undefined;
  const { protocol, origin, username, password } = new URL(proxy);
  if (!protocol.startsWith('http')) {
    throw usageError(`${name}: live streams support http proxies only; add ${url.hostname} to NO_PROXY`);
  }
  const target = `${url.hostname}:${port}`;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const headers = {
    host: target,
    ...(username !== '' && { 'proxy-authorization': `Basic ${login.toString('base64')}` }),
  };
  return async (signal) => {
    const pool = new ProxyPool(origin, { connect: { timeout: CONNECT_TIMEOUT_MS } });
    try {
      const { socket, statusCode } = await pool.connect({ origin, path: target, headers, signal });
      if (statusCode !== 200) {
        socket.on('error', () => {}).destroy();
        throw createTunnelError(url.host, name, statusCode);
      }
      return isSecure
        ? connectTls({ socket, servername: serverName(url), ALPNProtocols: ['http/1.1'] })
        : socket;
    } finally {
      // The pool no longer owns the tunnel's socket, so closing the pool does not close the tunnel.
      void pool.close();
    }
  };
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
