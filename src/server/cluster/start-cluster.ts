import { listenOnAdjacentPorts, type ServerPorts } from '../listen-on-adjacent-ports.js';
import { createClusterListeners, type PassedConnection } from './listeners.js';
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
  const earlyConnections: PassedConnection[] = [];
  let pass = (connection: PassedConnection): void => void earlyConnections.push(connection);
  const { http, sockets } = createClusterListeners((connection) => pass(connection));
  const { stop, ...ports } = await listenOnAdjacentPorts(http, sockets, options.host, options.port);
  const closeListeners = (): void => {
    stop();
    http.close();
    sockets.close();
    sockets.closeAllConnections();
  };
  let pool: WorkerPool | undefined;
  try {
    await options.prepare();
    pool = new WorkerPool(options);
    await pool.open();
  } catch (error) {
    closeListeners();
    await pool?.end(0);
    for (const { socket } of earlyConnections) socket.destroy();
    throw error;
  }
  const openPool = pool;
  pass = (connection) => openPool.pass(connection);
  for (const connection of earlyConnections) pass(connection);
  const close = (graceMs: number): Promise<void> => {
    closeListeners();
    return openPool.end(graceMs);
  };
  return { ...ports, close, pids: openPool.pids };
}
