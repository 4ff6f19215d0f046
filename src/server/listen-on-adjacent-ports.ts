import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { isSystemError, usageError } from '../base/errors.js';
import { MAX_HTTP_PORT, webSocketPort } from './endpoints.js';

/** Attempts to find two free adjacent ports. */
const MAX_PORT_ATTEMPTS = 20;
/** Many machines resolve `localhost` to the second address first, and clients may try only one. */
const LOCALHOST_ADDRESSES = ['127.0.0.1', '::1'];
/** The machine lacks the address, or its whole family. */
const MISSING_ADDRESS_CODES: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

export interface ServerPorts {
  readonly httpPort: number;
  readonly wsPort: number;
}

export interface ListeningServers extends ServerPorts {
  /** Closes the listeners of further addresses. The caller closes the servers. */
  stop(): void;
}

/**
 * Makes two servers listen on adjacent ports (`docs/spec/local-server.md#ports`).
 * @param host `localhost` for both addresses of loopback, as far as the machine has them.
 * @param port HTTP port; 0 for any two free ports.
 * @throws usage error for a port in use, or an address that is not of this machine.
 */
export async function listenOnAdjacentPorts(
  http: Server,
  sockets: Server,
  host: string,
  port: number,
): Promise<ListeningServers> {
  for (let attemptsLeft = port === 0 ? MAX_PORT_ATTEMPTS : 1; ; attemptsLeft--) {
    const listeners: Server[] = [];
    try {
      const httpPort = await listenOnHost(http, host, port, listeners);
      if (httpPort > MAX_HTTP_PORT)
        throw usageError(
          '--port: the system assigned the highest port, so there is none left for WebSocket; choose one with --port',
        );
      const wsPort = await listenOnHost(sockets, host, webSocketPort(httpPort), listeners);
      const stop = (): void => {
        for (const listener of listeners) if (listener !== http && listener !== sockets) listener.close();
      };
      return { httpPort, wsPort, stop };
    } catch (error) {
      await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))));
      // If not even one port could be opened, the host is the cause.
      if (attemptsLeft === 1 || listeners.length === 0) throw error;
    }
  }
}

/** Listens on all addresses of the host. @param listeners receives each server that listens. @returns the port. */
async function listenOnHost(
  server: Server,
  host: string,
  port: number,
  listeners: Server[],
): Promise<number> {
  let missingError: unknown;
  let openPort: number | undefined;
  for (const address of /^localhost\.?$/i.test(host) ? LOCALHOST_ADDRESSES : [host]) {
    const listener = openPort === undefined ? server : createSecondListener(server);
    try {
      await listen(listener, address, openPort ?? port);
    } catch (error) {
      if (!isSystemError(error) || !MISSING_ADDRESS_CODES.has(error.code)) {
        throw toListenError(error, address, openPort ?? port);
      }
      missingError = error;
      continue;
    }
    listeners.push(listener);
    openPort = (listener.address() as AddressInfo).port;
  }
  if (openPort === undefined) throw toListenError(missingError, host, port);
  return openPort;
}

/** A server can listen on one address only, so connections to the second are passed to it. */
function createSecondListener(server: Server): Server {
  // As the servers themselves: HTTP reads on after a client's end, and the cluster passes connections on unread.
  const isHttp = server instanceof HttpServer;
  const options = { noDelay: true, allowHalfOpen: isHttp, pauseOnConnect: !isHttp };
  return createServer(options, (socket) => server.emit('connection', socket));
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen({ host, port });
  await once(server, 'listening');
}

function toListenError(error: unknown, host: string, port: number): unknown {
  if (!isSystemError(error)) return error;
  switch (error.code) {
    case 'EADDRINUSE':
      return usageError(
        `port ${port} of ${host} is in use; stop the process that uses it, or choose another --port (WebSocket uses the next one)`,
      );
    case 'EACCES':
      return usageError(`port ${port} requires more permissions; choose a --port of 1024 or above`);
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return usageError(`--host ${host} is not an address of this machine; use one that is, or omit --host`);
    default:
      return error;
  }
}
