import type { ServerContext } from '../server-context.js';
import { closeWithError } from './close-with-error.js';
import type { SocketClient } from './socket-client.js';

/**
 * Runs the work of a connection. An error closes the connection with its message.
 * @param work closes the connection when it is done. Its controller is aborted if the client disconnects.
 */
export async function runSocketTask(
  context: ServerContext,
  path: string,
  client: SocketClient,
  work: (stop: AbortController) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  client.signal.addEventListener('abort', () => stop.abort(client.signal.reason));
  // Reading the client's messages lets them count as activity.
  client.onText(() => {});
  try {
    await work(stop);
  } catch (error) {
    closeWithError(context, path, [client], error);
  }
}
