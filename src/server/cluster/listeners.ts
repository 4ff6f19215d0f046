import type { Server as HttpServer, IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { parseSessionKey, readTarget } from '../http/http-call.js';
import { createUpgradeServer } from '../socket/socket-server.js';

/** A connection on its way to a worker. */
export interface PassedConnection {
  readonly told: 'http' | 'websocket';
  readonly socket: Socket;
  /** What was read of it, as bytes in latin1. */
  readonly head: string;
  /** Those that name the same have to come together. */
  readonly session: string | undefined;
}

/** The two servers whose connections workers answer. */
export interface ClusterListeners {
  readonly http: Server;
  readonly sockets: HttpServer;
}

/**
 * Nothing listens yet. A connection of HTTP is handed on unread. Of one of WebSocket the handshake is read first, as it
 * names the session; a client says nothing more until it has its answer.
 */
export function createClusterListeners(take: (connection: PassedConnection) => void): ClusterListeners {
  const http = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    take({ told: 'http', socket, head: '', session: undefined });
  });
  const sockets = createUpgradeServer();
  sockets.on('upgrade', (request, stream, head) => {
    // Node's own servers have no other connections.
    const socket = stream as Socket;
    socket.on('error', () => socket.destroy());
    const handshake = formatRequest(request) + head.toString('latin1');
    take({ told: 'websocket', socket, head: handshake, session: readSessionKey(request) });
  });
  return { http, sockets };
}

function readSessionKey({ url }: IncomingMessage): string | undefined {
  const { path, query } = readTarget(url);
  return path === '/ws-replay' ? parseSessionKey(query) : undefined;
}

/** A request as it was sent. */
function formatRequest({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
