import type { Server } from 'node:http';
import { TickhaulError } from '../base/errors.js';
import { createHttpServer } from './http-endpoints/http-server.js';
import { createOriginGuard } from './http-endpoints/origin-guard.js';
import { listenOnAdjacentPorts, type ServerPorts } from './listen-on-adjacent-ports.js';
import { createServerContext, type ServeOptions, type ServerContext } from './server-context.js';
import { createSocketServer } from './socket/socket-server.js';

/** The servers without ports. Connections may also be passed by another process. */
export interface ReplayServer {
  readonly http: Server;
  readonly sockets: Server;
  readonly context: ServerContext;
  /** Refuses new connections and waits for open responses, at most for the grace period. */
  close(graceMs: number): Promise<void>;
}

/** Creates the local replay server (docs/spec/local-server.md#ports) without its ports. */
export function createReplayServer(options: ServeOptions): ReplayServer {
  const context = createServerContext(options);
  const guard = createOriginGuard(options.host, options.allowOrigins);
  const http = createHttpServer(context, guard);
  const sockets = createSocketServer(context, guard);
  return {
    http,
    sockets: sockets.server,
    context,
    async close(graceMs) {
      http.close();
      sockets.server.close();
      // The response to a client that does not read never ends.
      const cutting = setTimeout(() => void sockets.close(), graceMs);
      void sockets.closeStalled();
      await context.openResponses.end(graceMs, new TickhaulError('terminated', 'the server ends'));
      clearTimeout(cutting);
      await sockets.close();
      http.closeAllConnections();
      sockets.server.closeAllConnections();
      await Promise.all([context.seriesThreads.close(), context.feedThreads.close()]);
    },
  };
}

export interface RunningServer extends Pick<ReplayServer, 'context' | 'close'>, ServerPorts {}

/**
 * Starts the local replay server.
 * @throws usage error for a port that is in use, or an address that is not of this machine.
 */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { http, sockets, context, close } = createReplayServer(options);
  const { stop, ...ports } = await listenOnAdjacentPorts(http, sockets, options.host, options.port);
  return {
    ...ports,
    context,
    close(graceMs) {
      stop();
      return close(graceMs);
    },
  };
}
