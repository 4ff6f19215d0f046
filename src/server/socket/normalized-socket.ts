import { replayNormalized } from '../normalized/replay-normalized.js';
import { parseNormalizedOptions } from '../request/normalized-options.js';
import { parseOptionsParameter } from '../request/options-parameter.js';
import type { ServerContext } from '../server-context.js';
import { createFrameSink } from './frame-sink.js';
import { runSocketTask } from './run-socket-task.js';
import { CLOSE_CODE, type SocketClient } from './socket-client.js';

/** `/ws-replay-normalized`: normalized messages, one per frame (`docs/spec/local-server.md#normalized-options`). */
export function openNormalizedSocket(
  context: ServerContext,
  client: SocketClient,
  query: URLSearchParams,
): Promise<void> {
  return runSocketTask(context, '/ws-replay-normalized', client, async (stop) => {
    const options = parseNormalizedOptions(parseOptionsParameter(query), context.warnOnce);
    const target = {
      output: createFrameSink(client),
      written: { messages: 0, bytes: 0 },
      signal: stop.signal,
    };
    await context.answers.run(stop, () => replayNormalized(context, options, target));
    client.close(CLOSE_CODE.finished, 'WS replay-normalized finished');
  });
}
