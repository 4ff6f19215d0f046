import { TickhaulError } from '../../base/errors.js';
import type { LineSink } from '../../market/lines/line-sink.js';
import { FRAME_WRITE_BYTES, type SocketClient } from './socket-client.js';

const LF = 0x0a;

/** Sends each line as a frame, without its LF. */
export function createFrameSink(client: SocketClient): LineSink {
  const { frames } = client;
  return {
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const end = bytes.indexOf(LF, at);
        if (end < 0) throw new Error('half a line');
        if (!frames.fits(end - at, FRAME_WRITE_BYTES)) await flush(client);
        frames.add(bytes, at, end);
        at = end + 1;
      }
      await flush(client);
    },
  };
}

async function flush(client: SocketClient): Promise<void> {
  if (!client.isOpen) throw new TickhaulError('reset', 'the client left');
  await client.flush();
}
