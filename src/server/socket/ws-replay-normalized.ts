import { TickhaulError } from '../../base/errors.js';
import type { LineSink } from '../../market/lines/line-sink.js';
import { replayNormalized } from '../normalized/replay-normalized.js';
import { readNormalizedOptions } from '../request/normalized-options.js';
import { readOptionsText } from '../request/options-text.js';
import type { Serving } from '../serving.js';
import { CLOSE, type SocketClient, WRITE } from './client.js';
import { closeFailed } from './close-failed.js';

const PATH = '/ws-replay-normalized';
const LF = 0x0a;

/** `/ws-replay-normalized`: normalized messages, one a frame (service interface, Local replay server). */
export async function openNormalizedSocket(
  serving: Serving,
  client: SocketClient,
  query: URLSearchParams,
): Promise<void> {
  const stop = new AbortController();
  client.signal.addEventListener('abort', () => stop.abort(client.signal.reason));
  // Whatever it says counts as a sign of life.
  client.onText(() => {});
  try {
    const options = readNormalizedOptions(readOptionsText(query), serving.warnOnce);
    const target = { output: framed(client), written: { messages: 0, bytes: 0 }, signal: stop.signal };
    await serving.answers.run(stop, () => replayNormalized(serving, options, target));
    client.close(CLOSE.finished, 'WS replay-normalized finished');
  } catch (error) {
    closeFailed(serving, PATH, [client], error);
  }
}

/** Lines as frames, without their LF. */
function framed(client: SocketClient): LineSink {
  const { frames } = client;
  return {
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const end = bytes.indexOf(LF, at);
        if (end < 0) throw new Error('half a line');
        frames.add(bytes, at, end);
        at = end + 1;
        if (frames.length >= WRITE) await flush(client);
      }
      await flush(client);
    },
  };
}

async function flush(client: SocketClient): Promise<void> {
  if (!client.isOpen) throw new TickhaulError('reset', 'the client left');
  await client.flush();
}
