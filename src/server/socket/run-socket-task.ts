import type { ServerContext } from '../server-context.js';
import { closeWithError } from './close-with-error.js';
import type { SocketClient } from './socket-client.js';

/**
 * Does what a connection asked for in its address. What fails closes it, with the reason.
 * @param work has to close it when it is done. Its controller is aborted when the client left.
 */
export async function runSocketTask(
  serving: ServerContext,
  path: string,
  client: SocketClient,
  work: (stop: AbortController) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  client.signal.addEventListener('abort', () => stop.abort(client.signal.reason));
  // Whatever it says counts as a sign of life.
  client.onText(() => {});
  try {
    await work(stop);
  } catch (error) {
    closeWithError(serving, path, [client], error);
  }
}
