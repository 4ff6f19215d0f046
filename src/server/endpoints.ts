import { toOneLine } from '../base/text.js';

/** The WebSocket port is the one after the HTTP port (`docs/spec/local-server.md#ports`). */
export function webSocketPort(httpPort: number): number {
  return httpPort + 1;
}

/** Highest HTTP port, since the WebSocket port is the next one. */
export const MAX_HTTP_PORT = 65_534;

/** The port of a URL, or the default port of its protocol. */
export function urlPort({ protocol, port }: Pick<URL, 'protocol' | 'port'>): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

const MAX_SHOWN_PATH = 100;

/** Paths of the HTTP port, for messages. */
const HTTP_PATHS = [
  '/',
  '/replay',
  '/replay-normalized',
  '/v1/instruments/<exchange>',
  '/health-check',
  '/metrics',
];
/** Paths of the WebSocket port. */
export const SOCKET_PATHS = ['/ws-replay', '/ws-replay-normalized', '/ws-stream-normalized'] as const;

/** Message for an unknown path of the HTTP port. */
export function describeUnknownPath(path: string): string {
  const shown = toOneLine(path, MAX_SHOWN_PATH);
  return `no such path: ${shown}; valid paths: ${HTTP_PATHS.join(', ')}; WebSocket, on the next port: ${SOCKET_PATHS.join(', ')}`;
}

/** Message for a request to the WebSocket port that asks for no WebSocket. */
export const UPGRADE_MESSAGE = `this port serves WebSocket only: ${SOCKET_PATHS.join(', ')}; HTTP is on the previous port`;

/**
 * Splits a request target in absolute form (RFC 9112, section 3.2.2), which clients send that take the server for a
 * proxy. Other forms have no host.
 */
function splitTarget(target: string): { readonly host?: string; readonly url: string } {
  const [, host, rest = ''] = /^(?:https?|wss?):\/\/([^/?#]+)(.*)$/is.exec(target) ?? [];
  if (host === undefined) return { url: target };
  return { host, url: rest.startsWith('/') ? rest : `/${rest}` };
}

/** Rewrites a target in absolute form to path and query. Its host replaces the Host header, as the RFC requires. */
export function toOriginForm(request: {
  url?: string | undefined;
  readonly headers: { host?: string | undefined };
}): void {
  const { host, url } = splitTarget(request.url ?? '/');
  if (host === undefined) return;
  request.headers.host = host;
  request.url = url;
}

/** Splits a request target into path and query. The path is in lower case, without a trailing slash. */
export function readTarget(target = '/'): { readonly path: string; readonly query: URLSearchParams } {
  const [path = '', query = ''] = splitTarget(target).url.split(/\?(.*)/s);
  return { path: path.toLowerCase().replace(/(.)\/$/, '$1'), query: new URLSearchParams(query) };
}
