import type { Server } from 'node:http';
import { TickhaulError } from '../base/errors.js';
import { createHttpServer } from './http/http-server.js';
import { createOriginGuard } from './http/origin-guard.js';
import { listenOnAdjacentPorts, type ServerPorts } from './listen-on-adjacent-ports.js';
import type { ServeOptions } from './serve-options.js';
import { createServerContext, type ServerContext } from './server-context.js';
import { createSocketServer } from './socket/socket-server.js';

/** Nothing listens yet: connections may come from elsewhere too. */
export interface ReplayServer {
  readonly http: Server;
  readonly sockets: Server;
  readonly context: ServerContext;
  /** Takes nothing new, and lets answers under way end, for a while. */
  close(graceMs: number): Promise<void>;
}

/** The local replay server (contract, Serve), without its ports. */
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
      // A client that doesn't read keeps its answer from ending.
      const cutting = setTimeout(() => void sockets.close(), graceMs);
      void sockets.closeStalled();
      await context.answers.end(graceMs, new TickhaulError('terminated', 'the server ends'));
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
 * @throws usage error for a port that is in use, or an address that isn't this machine's.
 */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { http, sockets, context, close } = createReplayServer(options);
  const ports = await listenOnAdjacentPorts(http, sockets, options.host, options.port);
  return { ...ports, context, close };
}
