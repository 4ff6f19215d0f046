import { replayNormalized } from '../normalized/replay-normalized.js';
import { readNormalizedOptions } from '../request/normalized-options.js';
import { readOptionsText } from '../request/options-text.js';
import type { Serving } from '../serving.js';
import { answerSocket } from './answer-socket.js';
import { CLOSE, type SocketClient } from './client.js';
import { framed } from './framed.js';

/** `/ws-replay-normalized`: normalized messages, one a frame (service interface, Local replay server). */
export function openNormalizedSocket(
  serving: Serving,
  client: SocketClient,
  query: URLSearchParams,
): Promise<void> {
  return answerSocket(serving, '/ws-replay-normalized', client, async (stop) => {
    const options = readNormalizedOptions(readOptionsText(query), serving.warnOnce);
    const target = { output: framed(client), written: { messages: 0, bytes: 0 }, signal: stop.signal };
    await serving.answers.run(stop, () => replayNormalized(serving, options, target));
    client.close(CLOSE.finished, 'WS replay-normalized finished');
  });
}
