import { listenBeside } from '../listen.js';
import type { RunningServer } from '../server.js';
import { Crew, type CrewOptions } from './crew.js';
import { type Arrival, createDoors } from './doors.js';

export interface ClusterOptions extends CrewOptions {
  readonly port: number;
  readonly host: string;
  /** What is to be done once for all, when the ports are its own. */
  readonly prepare: () => Promise<void>;
}

export interface RunningCluster extends Pick<RunningServer, 'httpPort' | 'wsPort' | 'close'> {
  /** Numbers of the workers' processes. */
  readonly pids: readonly (number | undefined)[];
}

/**
 * Starts the local replay server over several processes: this one holds the ports, and gives each connection to a
 * worker. It resolves when all of them are ready.
 * @throws usage error for a port that is in use, or an address that isn't this machine's, before any worker begins; an
 *   error where one ends at its start, which has told why.
 */
export async function startCluster(options: ClusterOptions): Promise<RunningCluster> {
  const early: Arrival[] = [];
  let take = (arrival: Arrival): void => void early.push(arrival);
  const { http, sockets } = createDoors((arrival) => take(arrival));
  const httpPort = await listenBeside(http, sockets, options.host, options.port);
  const closeDoors = (): void => {
    http.close();
    sockets.close();
    sockets.closeAllConnections();
  };
  let crew: Crew | undefined;
  try {
    await options.prepare();
    crew = new Crew(options);
    await crew.open();
  } catch (error) {
    closeDoors();
    await crew?.end(0);
    for (const { socket } of early) socket.destroy();
    throw error;
  }
  const open = crew;
  take = (arrival) => open.take(arrival);
  for (const arrival of early) take(arrival);
  const close = (graceMs: number): Promise<void> => {
    closeDoors();
    return open.end(graceMs);
  };
  return { httpPort, wsPort: httpPort + 1, close, pids: open.pids };
}
