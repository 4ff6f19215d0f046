import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSystemError, usageError } from '../../base/errors.js';
import type { SandboxRequest } from '../sandbox-options.js';
import { type CallSettings, type SandboxHandler, sendSandboxError } from './sandbox-call.js';

/** A server on loopback. */
export interface Listener {
  /** Without a slash at the end. */
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * Serves the handler on 127.0.0.1.
 * @param port 0 for any free port.
 * @throws usage error for a port that is taken or not allowed.
 */
export async function listenOnLoopback(
  host: SandboxRequest['host'],
  port: number,
  handler: SandboxHandler,
  settings: CallSettings,
): Promise<Listener> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const call = { request, response, host, settings };
    handler(call).catch((error: unknown) => {
      // The client disconnected, or the service is closing. Any other error is sent to the client.
      if (response.headersSent || response.destroyed || settings.signal.aborted) response.destroy();
      else
        sendSandboxError(call, 500, 500, `The embedded service failed: ${error}`).catch(() =>
          response.destroy(),
        );
    });
  });
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    throw isSystemError(error)
      ? usageError(
          `cannot listen on 127.0.0.1:${port} (${error.code}); use another port, or 0 for any free port`,
        )
      : error;
  }
  const { port: actual } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${actual}`, close: () => closeServer(server) };
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
