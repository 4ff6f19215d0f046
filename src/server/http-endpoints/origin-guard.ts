import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { urlPort, webSocketPort } from '../endpoints.js';

/** Decides which web pages may use the server, so that foreign pages cannot use the key. */
export interface OriginGuard {
  /** Whether a page sent the request that is neither the server's own nor allowed. */
  isForeignPage(request: IncomingMessage): boolean;
  /** Whether the Host header is not a name of this server, for example a foreign name that resolves to it. */
  isForeignHost(request: IncomingMessage): boolean;
  /**
   * Like `isForeignHost`, but accepts names of private networks. A foreign name on the internet may resolve to this
   * server (DNS rebinding); the browser then treats its page as of this origin, and the page could read all responses.
   */
  isUntrustedHost(request: IncomingMessage): boolean;
  /** Value of `access-control-allow-origin` for an explicitly allowed page; undefined for any other. */
  allowedOrigin(request: IncomingMessage): string | undefined;
}

/**
 * Creates the guard. The server's own names are those of loopback, of this machine and of its listen address, and all
 * IP addresses, since they cannot be redirected by DNS.
 * @param allowed origins in the form `https://host:port`.
 */
export function createOriginGuard(host: string, allowed: readonly string[]): OriginGuard {
  const origins = new Set(allowed.map((origin) => new URL(origin).origin));
  const names = new Set(
    [host, hostname(), ...allowed.map((origin) => new URL(origin).hostname)].map(normalizeHost),
  );
  const isOwn = (name: string): boolean =>
    name === 'localhost' || name.endsWith('.localhost') || names.has(name) || isIP(name) !== 0;
  return {
    isForeignPage({ headers, url }) {
      // Any page may link to the server's page: opening the page does nothing.
      const isLink = url === '/' && headers['sec-fetch-dest'] === 'document';
      if (headers['sec-fetch-site'] === 'cross-site' && headers.origin === undefined) return !isLink;
      if (headers.origin === undefined) return false;
      if (!URL.canParse(headers.origin)) return true;
      const page = new URL(headers.origin);
      if (origins.has(page.origin) || isLoopbackHost(page.hostname)) return false;
      return !(isOwn(normalizeHost(page.hostname)) && isOwnPage(page, headers.host));
    },
    isForeignHost: ({ headers }) => !matchesHost(headers.host, isOwn),
    isUntrustedHost: ({ headers }) => !matchesHost(headers.host, (name) => isOwn(name) || isPrivate(name)),
    allowedOrigin: ({ headers: { origin } }) =>
      origin !== undefined && origins.has(origin) ? origin : undefined,
  };
}

/** A request without a Host header is not from a browser and matches. */
function matchesHost(host: string | undefined, matches: (name: string) => boolean): boolean {
  if (host === undefined || host === '') return true;
  const url = `http://${host}`;
  return URL.canParse(url) && matches(normalizeHost(new URL(url).hostname));
}

/**
 * Whether a name exists in private networks only: names without a dot, as containers have, and names below reserved
 * domains (RFC 6762, RFC 8375, and `internal`, which ICANN has reserved).
 */
function isPrivate(name: string): boolean {
  return !/\.(?!$)/.test(name) || /\.(?:local|internal|home\.arpa)\.?$/.test(name);
}

/** Whether a page has the host of the request, and its port is the HTTP or the WebSocket port of this server. */
function isOwnPage(page: URL, host = ''): boolean {
  const url = `${page.protocol}//${host}`;
  if (!URL.canParse(url)) return false;
  const requested = new URL(url);
  const [requestedPort, pagePort] = [urlPort(requested), urlPort(page)];
  return (
    requested.hostname === page.hostname &&
    (requestedPort === pagePort ||
      requestedPort === webSocketPort(pagePort) ||
      pagePort === webSocketPort(requestedPort))
  );
}

/** Whether only this machine can reach the address. */
export function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|::1)$/.test(normalizeHost(host));
}

function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
}
