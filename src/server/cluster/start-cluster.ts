import type { IncomingMessage } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { readTarget } from '../endpoints.js';
import { listenOnAdjacentPorts, type ServerPorts } from '../listen-on-adjacent-ports.js';
import { parseSessionKey } from '../request-options.js';
import { createUpgradeServer } from '../socket/socket-server.js';
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.js';

export interface ClusterOptions extends WorkerPoolOptions {
  readonly port: number;
  readonly host: string;
  /** Runs once after the ports are open and before the workers start. */
  readonly prepare: () => Promise<void>;
}

export interface RunningCluster extends ServerPorts {
  /** Refuses new connections and waits for open responses, at most for the grace period. */
  close(graceMs: number): Promise<void>;
  /** Process ids of the workers. */
  readonly pids: readonly (number | undefined)[];
}

/**
 * Starts the local replay server in several processes. This process owns the ports and passes each connection to a
 * worker. Resolves when all workers are ready.
 * @throws usage error for a port in use or an address that does not belong to this machine, before any worker starts; the
 * error of a worker that fails to start.
 */
export async function startCluster(options: ClusterOptions): Promise<RunningCluster> {
  const pool = new WorkerPool(options);
  // HTTP connections are passed on unread.
  const http = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    pool.pass({ kind: 'http', socket, head: '', session: undefined });
  });
  // The handshake contains the session key; the client sends nothing more before the response.
  const sockets = createUpgradeServer();
  sockets.on('upgrade', (request, stream, head) => {
    // Node's http server emits only net.Socket here, although the type is Duplex.
    const socket = stream as Socket;
    socket.on('error', () => socket.destroy());
    const handshake = formatRequest(request) + head.toString('latin1');
    pool.pass({ kind: 'websocket', socket, head: handshake, session: readSessionKey(request) });
  });
  const { stop, ...ports } = await listenOnAdjacentPorts(http, sockets, options.host, options.port);
  const close = (graceMs: number): Promise<void> => {
    stop();
    http.close();
    sockets.close();
    sockets.closeAllConnections();
    return pool.end(graceMs);
  };
  try {
    await options.prepare();
    await pool.open();
  } catch (error) {
    await close(0);
    throw error;
  }
  return { ...ports, close, pids: pool.pids };
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
