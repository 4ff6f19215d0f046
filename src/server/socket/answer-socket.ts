import type { Serving } from '../serving.js';
import type { SocketClient } from './client.js';
import { closeFailed } from './close-failed.js';

/**
 * Does what a connection asked for in its address. What fails closes it, with the reason.
 * @param work has to close it when it is done. Its controller is aborted when the client left.
 */
export async function answerSocket(
  serving: Serving,
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
    closeFailed(serving, path, [client], error);
  }
}
