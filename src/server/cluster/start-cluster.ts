import { listenOnAdjacentPorts, type ServerPorts } from '../listen-on-adjacent-ports.js';
import { createClusterListeners, type PassedConnection } from './listeners.js';
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.js';

export interface ClusterOptions extends WorkerPoolOptions {
  readonly port: number;
  readonly host: string;
  /** What is to be done once for all, when the ports are its own. */
  readonly prepare: () => Promise<void>;
}

export interface RunningCluster extends ServerPorts {
  /** Takes nothing new, and lets answers under way end, for a while. */
  close(graceMs: number): Promise<void>;
  /** Numbers of the workers' processes. */
  readonly pids: readonly (number | undefined)[];
}

/**
 * Starts the local replay server over several processes: this one holds the ports, and gives each connection to a
 * worker. It resolves when all of them are ready.
 * @throws usage error for a port that is in use, or an address that isn't this machine's, before any worker begins; what
 *   ends one at its start.
 */
export async function startCluster(options: ClusterOptions): Promise<RunningCluster> {
  const early: PassedConnection[] = [];
  let take = (connection: PassedConnection): void => void early.push(connection);
  const { http, sockets } = createClusterListeners((connection) => take(connection));
  const ports = await listenOnAdjacentPorts(http, sockets, options.host, options.port);
  const closeDoors = (): void => {
    http.close();
    sockets.close();
    sockets.closeAllConnections();
  };
  let crew: WorkerPool | undefined;
  try {
    await options.prepare();
    crew = new WorkerPool(options);
    await crew.open();
  } catch (error) {
    closeDoors();
    await crew?.end(0);
    for (const { socket } of early) socket.destroy();
    throw error;
  }
  const open = crew;
  take = (connection) => open.take(connection);
  for (const connection of early) take(connection);
  const close = (graceMs: number): Promise<void> => {
    closeDoors();
    return open.end(graceMs);
  };
  return { ...ports, close, pids: open.pids };
}
