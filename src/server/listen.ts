import type { AddressInfo, Server } from 'node:net';
import { isSystemError, usageError } from '../base/errors.js';

/** The highest port that has one above it. */
export const HIGHEST_PORT = 65_534;
/** How often two ports beside each other are looked for. */
const TRIES = 20;

/**
 * Lets two servers listen on ports beside each other.
 * @param port of the first; 0 for any two that are free.
 * @returns the first one's port.
 * @throws usage error for a port that is in use, or an address that isn't this machine's.
 */
export async function listenBeside(
  first: Server,
  second: Server,
  host: string,
  port: number,
): Promise<number> {
  for (let tries = port === 0 ? TRIES : 1; ; tries--) {
    await listen(first, host, port);
    const given = (first.address() as AddressInfo).port;
    try {
      if (given > HIGHEST_PORT) throw usageError('no port is free above the highest one');
      await listen(second, host, given + 1);
      return given;
    } catch (error) {
      await new Promise((resolve) => first.close(resolve));
      if (tries === 1) throw error;
    }
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(listenError(error, host, port));
    server.once('error', fail);
    server.listen({ host, port }, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

function listenError(error: Error, host: string, port: number): Error {
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
