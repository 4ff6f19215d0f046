import type { AddressInfo, Server } from 'node:net';
import { isSystemError, usageError } from '../base/errors.js';
import { MAX_HTTP_PORT, webSocketPort } from './ports.js';

/** How often two ports beside each other are looked for. */
const MAX_PORT_ATTEMPTS = 20;

export interface ServerPorts {
  readonly httpPort: number;
  readonly wsPort: number;
}

/**
 * Lets two servers listen on ports beside each other.
 * @param port of HTTP; 0 for any two that are free.
 * @throws usage error for a port that is in use, or an address that isn't this machine's.
 */
export async function listenOnAdjacentPorts(
  http: Server,
  sockets: Server,
  host: string,
  port: number,
): Promise<ServerPorts> {
  for (let tries = port === 0 ? MAX_PORT_ATTEMPTS : 1; ; tries--) {
    await listen(http, host, port);
    const given = (http.address() as AddressInfo).port;
    try {
      if (given > MAX_HTTP_PORT) throw usageError('no port is free above the highest one');
      const wsPort = webSocketPort(given);
      await listen(sockets, host, wsPort);
      return { httpPort: given, wsPort };
    } catch (error) {
      await new Promise((resolve) => http.close(resolve));
      if (tries === 1) throw error;
    }
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(toListenError(error, host, port));
    server.once('error', fail);
    server.listen({ host, port }, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

function toListenError(error: Error, host: string, port: number): Error {
  if (!isSystemError(error)) return error;
  switch (error.code) {
    case 'EADDRINUSE':
      return usageError(
        `port ${port} of ${host} is in use; end what listens there, or choose another --port (WebSocket takes the one above it)`,
      );
    case 'EACCES':
      return usageError(`port ${port} may not be used here; choose a --port from 1024 on`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return usageError(`--host ${host} is no address of this machine; leave it out, or name one that is`);
    default:
      return error;
  }
}
