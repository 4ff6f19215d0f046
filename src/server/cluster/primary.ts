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

/**
 * Starts the local replay server over several processes: this one holds the ports, and gives each connection to a
 * worker. It resolves when all of them are ready.
 * @throws usage error for a port that is in use, or an address that isn't this machine's, before any worker begins;
 *   TickhaulError where one ends at its start.
 */
export async function startCluster(
  options: ClusterOptions,
): Promise<Pick<RunningServer, 'httpPort' | 'wsPort' | 'close'>> {
  const early: Arrival[] = [];
  let take = (arrival: Arrival): void => void early.push(arrival);
  const { http, sockets } = createDoors((arrival) => take(arrival));
  const httpPort = await listenBeside(http, sockets, options.host, options.port);
  let crew: Crew | undefined;
  const close = async (graceMs: number): Promise<void> => {
    http.close();
    sockets.close();
    sockets.closeAllConnections();
    await crew?.end(graceMs);
  };
  try {
    await options.prepare();
    const opened = new Crew(options);
    crew = opened;
    take = (arrival) => opened.take(arrival);
    for (const arrival of early) take(arrival);
    await opened.open();
  } catch (error) {
    await close(0);
    throw error;
  }
  return { httpPort, wsPort: httpPort + 1, close };
}
