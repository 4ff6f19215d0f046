import type { AddressInfo, Server } from 'node:net';
import { isSystemError, usageError } from '../base/errors.js';
import { MAX_HTTP_PORT, webSocketPort } from './ports.js';

/** Attempts to find two free adjacent ports. */
const MAX_PORT_ATTEMPTS = 20;

export interface ServerPorts {
  readonly httpPort: number;
  readonly wsPort: number;
}

/**
 * Makes two servers listen on adjacent ports (`docs/spec/local-server.md#ports`).
 * @param port HTTP port; 0 for any two free ports.
 * @throws usage error for a port in use, or an address that is not of this machine.
 */
export async function listenOnAdjacentPorts(
  http: Server,
  sockets: Server,
  host: string,
  port: number,
): Promise<ServerPorts> {
  for (let attemptsLeft = port === 0 ? MAX_PORT_ATTEMPTS : 1; ; attemptsLeft--) {
    await listen(http, host, port);
    const httpPort = (http.address() as AddressInfo).port;
    try {
      if (httpPort > MAX_HTTP_PORT)
        throw usageError(
          '--port: the system assigned the highest port, so there is none left for WebSocket; choose one with --port',
        );
      const wsPort = webSocketPort(httpPort);
      await listen(sockets, host, wsPort);
      return { httpPort, wsPort };
    } catch (error) {
      await new Promise((resolve) => http.close(resolve));
      if (attemptsLeft === 1) throw error;
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
        `port ${port} of ${host} is in use; stop the process that uses it, or choose another --port (WebSocket uses the next one)`,
      );
    case 'EACCES':
      return usageError(`port ${port} requires more permissions; choose a --port of 1024 or above`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return usageError(`--host ${host} is not an address of this machine; use one that is, or omit --host`);
    default:
      return error;
  }
}
