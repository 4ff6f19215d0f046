import type { Server } from 'node:http';
import { TickhaulError } from '../base/errors.js';
import { createHttpServer } from './http/http-server.js';
import { createOriginGuard } from './http/origin-guard.js';
import { listenOnAdjacentPorts, type ServerPorts } from './listen-on-adjacent-ports.js';
import type { ServeOptions } from './serve-options.js';
import { createServerContext, type ServerContext } from './server-context.js';
import { createSocketServer } from './socket/socket-server.js';

/** Two servers that do not listen yet, since another process may pass connections to them. */
export interface ReplayServer {
  readonly http: Server;
  readonly sockets: Server;
  readonly serving: ServerContext;
  /** Refuses new connections and waits for responses in flight, for at most `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** The local replay server (docs/spec/local-server.md#paths), without its ports. */
export function createReplayServer(options: ServeOptions): ReplayServer {
  const serving = createServerContext(options);
  const guard = createOriginGuard(options.host, options.allowOrigins);
  const http = createHttpServer(serving, guard);
  const sockets = createSocketServer(serving, guard);
  return {
    http,
    sockets: sockets.server,
    serving,
    async close(graceMs) {
      http.close();
      sockets.server.close();
      // The response to a client that does not read never ends.
      const cutting = setTimeout(() => void sockets.close(), graceMs);
      void sockets.closeStalled();
      await serving.answers.end(graceMs, new TickhaulError('terminated', 'the server ends'));
      clearTimeout(cutting);
      await sockets.close();
      http.closeAllConnections();
      sockets.server.closeAllConnections();
      await Promise.all([serving.seriesThreads.close(), serving.feedThreads.close()]);
    },
  };
}

export interface RunningServer extends Pick<ReplayServer, 'serving' | 'close'>, ServerPorts {}

/**
 * Starts the local replay server.
 * @throws usage error for a port that is in use, or an address that is not of this machine.
 */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { http, sockets, serving, close } = createReplayServer(options);
  const ports = await listenOnAdjacentPorts(http, sockets, options.host, options.port);
  return { ...ports, serving, close };
}
