import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { sanitizeForTerminal } from '../../base/sanitize-for-terminal.js';
import { wait } from '../../base/wait.js';
import { readTarget } from '../http/http-call.js';
import { FOREIGN_ORIGIN_MESSAGE, SERVER_LIMITS } from '../http/http-server.js';
import type { OriginGuard } from '../http/origin-guard.js';
import type { ServerContext } from '../server-context.js';
import { openNormalizedSocket } from './normalized-socket.js';
import { openReplaySocket, type ReplaySessions } from './replay-socket.js';
import { CLOSE_CODE, SocketClient } from './socket-client.js';
import { openStreamSocket } from './stream-socket.js';

/** Maximum size of a client's frame, in bytes. */
const MAX_PAYLOAD_BYTES = 512 * 1024;
const PING_INTERVAL_MS = 30_000;
/** Milliseconds that a client has to answer a close frame when the server ends. */
const CLOSE_TIMEOUT_MS = 200;

type OpenSocket = (client: SocketClient, query: URLSearchParams) => unknown;

export interface SocketServer {
  /** Nothing listens yet. */
  readonly server: Server;
  /** Closes all connections; those that don't answer are cut off. */
  close(): Promise<void>;
}

/** The WebSocket endpoints. @param beatMs milliseconds between two pings. */
export function createSocketServer(
  serving: ServerContext,
  guard: OriginGuard,
  beatMs = PING_INTERVAL_MS,
): SocketServer {
  const { log } = serving.options;
  const sessions: ReplaySessions = new Map();
  const clients = new Set<SocketClient>();
  const upgrades = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_PAYLOAD_BYTES,
    clientTracking: false,
  });
  const routes: Readonly<Record<string, OpenSocket>> = {
    '/ws-replay': (client, query) => openReplaySocket(serving, sessions, client, query),
    '/ws-replay-normalized': (client, query) => openNormalizedSocket(serving, client, query),
    '/ws-stream-normalized': (client, query) => openStreamSocket(serving, client, query),
  };
  const server = createUpgradeServer();
  server.on('upgrade', (request, connection, head) => {
    connection.on('error', () => connection.destroy());
    if (guard.isForeignPage(request) || guard.isForeignHost(request)) return refuseConnection(connection);
    upgrades.handleUpgrade(request, connection, head, (ws) => {
      const client = new SocketClient(ws, connection, serving.metrics);
      clients.add(client);
      ws.once('close', (code) => {
        clients.delete(client);
        log.request?.(sanitizeForTerminal(`WS ${request.url} ${code}`));
      });
      const { path, query } = readTarget(request.url);
      const open = Object.hasOwn(routes, path) ? routes[path] : undefined;
      if (open) open(client, query);
      else
        client.close(CLOSE_CODE.policy, `no such path: ${path}; known are ${Object.keys(routes).join(', ')}`);
    });
  });
  const beating = setInterval(() => {
    for (const client of clients) client.beat();
  }, beatMs);
  beating.unref();
  return {
    server,
    async close() {
      clearInterval(beating);
      if (clients.size === 0) return;
      for (const client of clients) client.close(CLOSE_CODE.goingAway, 'the server ends');
      await wait(CLOSE_TIMEOUT_MS);
      for (const client of clients) client.cut();
    },
  };
}

/** Refuses what is no upgrade; nothing listens yet. */
export function createUpgradeServer(): Server {
  return createServer(SERVER_LIMITS, (request, response) => {
    request.resume();
    // It has to say what it would speak (RFC 9110, 15.5.22).
    response.writeHead(426, { connection: 'upgrade', upgrade: 'websocket' }).end();
  });
}

function refuseConnection(connection: Duplex): void {
  const body = JSON.stringify({ message: FOREIGN_ORIGIN_MESSAGE });
  const head = `HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  connection.end(head + body);
}
