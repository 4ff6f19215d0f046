import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { urlPort, webSocketPort } from '../ports.js';

/** Tells who may use the server: a web page of somebody else must not use the key. */
export interface OriginGuard {
  /** Whether a page that isn't the server's own, nor allowed, sent the request. */
  isForeignPage(request: IncomingMessage): boolean;
  /** Whether the request names a host that the server isn't: so a name of somebody else would lead here. */
  isForeignHost(request: IncomingMessage): boolean;
  /**
   * Whether that name may be a stranger's on the internet, who has let it lead here: his page is then of this origin for
   * its browser, and may read all answers.
   */
  isUntrustedHost(request: IncomingMessage): boolean;
  /** The origin of a page that is allowed by name, as its browser wants to be told; undefined for any other. */
  allowedOrigin(request: IncomingMessage): string | undefined;
}

/**
 * Names of loopback, of this machine and of the address that it listens on are its own, and addresses in numbers, since
 * nobody can let those lead elsewhere.
 * @param allowed origins, as `https://host:port`.
 */
export function createOriginGuard(host: string, allowed: readonly string[]): OriginGuard {
  const origins = new Set(allowed.map((origin) => new URL(origin).origin));
  const names = new Set([host, hostname(), ...allowed.map((origin) => new URL(origin).hostname)].map(plain));
  const isOwn = (name: string): boolean =>
    name === 'localhost' || name.endsWith('.localhost') || names.has(name) || isIP(name) !== 0;
  return {
    isForeignPage({ headers, url }) {
      // A link to the page is anybody's: it does nothing by itself.
      const isLink = url === '/' && headers['sec-fetch-dest'] === 'document';
      if (headers['sec-fetch-site'] === 'cross-site' && headers.origin === undefined) return !isLink;
      if (headers.origin === undefined) return false;
      if (!URL.canParse(headers.origin)) return true;
      const page = new URL(headers.origin);
      if (origins.has(page.origin) || isLoopbackHost(page.hostname)) return false;
      return !(isOwn(plain(page.hostname)) && isOwnPage(page, headers.host));
    },
    isForeignHost: ({ headers }) => !matchesHost(headers.host, isOwn),
    isUntrustedHost: ({ headers }) => !matchesHost(headers.host, (name) => isOwn(name) || isPrivate(name)),
    allowedOrigin: ({ headers: { origin } }) =>
      origin !== undefined && origins.has(origin) ? origin : undefined,
  };
}

/** A request without a host is of no browser. */
function matchesHost(host: string | undefined, isFit: (name: string) => boolean): boolean {
  if (host === undefined || host === '') return true;
  const url = `http://${host}`;
  return URL.canParse(url) && isFit(plain(new URL(url).hostname));
}

/**
 * Names that mean something in a network of one's own alone: those without a dot, as containers have them, and those
 * below domains that are nobody's (RFC 6762, RFC 8375, and `internal`, which ICANN keeps for this).
 */
function isPrivate(name: string): boolean {
  return !/\.(?!$)/.test(name) || /\.(?:local|internal|home\.arpa)\.?$/.test(name);
}

/** Whether a page is of the address that is asked: its port is that of HTTP, or of WebSocket above it. */
function isOwnPage(page: URL, host = ''): boolean {
  const url = `${page.protocol}//${host}`;
  if (!URL.canParse(url)) return false;
  const asked = new URL(url);
  const [one, other] = [urlPort(asked), urlPort(page)];
  return (
    asked.hostname === page.hostname &&
    (one === other || one === webSocketPort(other) || other === webSocketPort(one))
  );
}

/** Whether only this machine reaches the address. */
export function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|::1)$/.test(plain(host));
}

function plain(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
}
