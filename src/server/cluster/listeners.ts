import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { readTarget } from '../endpoints.js';
import { parseSessionKey } from '../request-options.js';
import { createUpgradeServer } from '../socket/socket-server.js';

/** A connection to pass to a worker. */
export interface PassedConnection {
  readonly kind: 'http' | 'websocket';
  readonly socket: Socket;
  /** Bytes that were already read, in latin1. */
  readonly head: string;
  /** Session key; connections with the same key must go to the same worker. */
  readonly session: string | undefined;
}

/** The two servers that accept connections for the workers. */
export interface ClusterListeners {
  readonly http: Server;
  readonly sockets: HttpServer;
}

/**
 * Creates both servers without listening. HTTP connections are passed on unread. For WebSocket connections the
 * handshake is read first, since it contains the session key; the client sends nothing more before the response.
 */
export function createClusterListeners(pass: (connection: PassedConnection) => void): ClusterListeners {
  const http = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    pass({ kind: 'http', socket, head: '', session: undefined });
  });
  const sockets = createUpgradeServer();
  sockets.on('upgrade', (request, stream, head) => {
    // Node's http server emits only net.Socket here, although the type is Duplex.
    const socket = stream as Socket;
    socket.on('error', () => socket.destroy());
    const handshake = formatRequest(request) + head.toString('latin1');
    pass({ kind: 'websocket', socket, head: handshake, session: readSessionKey(request) });
  });
  return { http, sockets };
}

function readSessionKey({ url }: IncomingMessage): string | undefined {
  const { path, query } = readTarget(url);
  return path === '/ws-replay' ? parseSessionKey(query) : undefined;
}

/** Restores the bytes of a request. */
function formatRequest({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
