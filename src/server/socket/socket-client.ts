import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { TickhaulError } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';
import { toRunFailure } from '../../events/run-failure.js';
import type { LineSink } from '../../market/lines/line-buffer.js';
import { StallWatch } from '../client-limits.js';
import { logBug } from '../http-endpoints/http-call.js';
import type { ServerContext } from '../server-context.js';
import type { ServerMetrics } from '../server-metrics.js';

/** Maximum size of one write of frames. */
const FRAME_WRITE_BYTES = 128 * 1024;

/** Bytes of memory that a connection keeps; few messages need more. */
const MAX_KEPT_BYTES = 2 * FRAME_WRITE_BYTES;

/** Close codes (RFC 6455, section 7.4.1). */
export const CLOSE_CODE = {
  /** All messages were sent. */
  finished: 1000,
  /** The server ends. */
  goingAway: 1001,
  /** Unknown path, or a client that is too slow for live messages. */
  policy: 1008,
  /** The request failed; the reason says why. */
  failed: 1011,
  /** Too many clients. */
  tryLater: 1013,
} as const;

/** Bytes of a close frame's reason (RFC 6455, 5.5). */
const MAX_REASON_BYTES = 123;

/** A WebSocket connection. */
export class SocketClient {
  /** Frames that are not yet written. */
  readonly frames = new FrameBuffer();
  readonly #ws: WebSocket;
  readonly #connection: Duplex;
  readonly #metrics: ServerMetrics;
  readonly #watch = new StallWatch();
  readonly #disconnected = new AbortController();
  /** Whether the client has sent or accepted anything since the last `ping`. */
  #isAlive = true;

  /** @param connection of the WebSocket. Both write only whole frames to it. */
  constructor(ws: WebSocket, connection: Duplex, metrics: ServerMetrics) {
    this.#ws = ws;
    this.#connection = connection;
    this.#metrics = metrics;
    metrics.openSockets++;
    ws.on('pong', () => {
      this.#isAlive = true;
    });
    // After an invalid frame, the WebSocket closes itself with a code that names the cause.
    ws.on('error', () => {});
    ws.once('close', () => {
      metrics.openSockets--;
      this.#onDisconnect();
    });
  }

  /** Aborted when the connection is closed. */
  get signal(): AbortSignal {
    return this.#disconnected.signal;
  }

  get isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN && !this.signal.aborted;
  }

  /** Whether the current write has taken longer than 5 s. */
  get isStalled(): boolean {
    return this.#watch.isStalled;
  }

  /** @param listener called with the text of each message. */
  onText(listener: (text: string) => void): void {
    this.#ws.on('message', (data, isBinary) => {
      this.#isAlive = true;
      if (!isBinary) listener(String(data));
    });
  }

  /** Writes the gathered frames and waits until the connection has accepted them. @throws the reason of a disconnect. */
  async flush(): Promise<void> {
    const { frames } = this;
    if (frames.length === 0) return;
    const { length, count } = frames;
    try {
      if (!this.isOpen) return;
      await this.#write(frames.bytes);
      this.#metrics.bytes += length;
      this.#metrics.messages += count;
    } finally {
      frames.clear(MAX_KEPT_BYTES);
    }
  }

  /** Sends a message at once, before the gathered ones. */
  send(text: string): void {
    if (!this.isOpen) return;
    this.#ws.send(text);
    this.#metrics.messages++;
    this.#metrics.bytes += Buffer.byteLength(text);
  }

  /** Closes the connection; a long reason is truncated. */
  close(code: number, reason: string): void {
    this.#ws.close(code, truncateUtf8(reason, MAX_REASON_BYTES));
  }

  /** Closes the connection at once. */
  cut(): void {
    this.#ws.terminate();
  }

  /** Pings the client, and disconnects it if it did not respond to the previous ping. */
  ping(): void {
    if (!this.#isAlive) this.cut();
    else if (this.isOpen) this.#ws.ping();
    this.#isAlive = false;
  }

  #onDisconnect(): void {
    this.#disconnected.abort(new TickhaulError('reset', 'the client left'));
  }

  #write(bytes: Buffer): Promise<void> {
    this.#watch.onWriteStart();
    const written = new Promise<void>((resolve) => {
      this.#connection.write(bytes, (error) => {
        this.#watch.onWriteEnd();
        this.#isAlive = true;
        // The WebSocket notices a disconnect later than this write does.
        if (error) this.#onDisconnect();
        else resolve();
      });
    });
    return rejectOnAbort(written, this.signal);
  }
}

/** The longest beginning of a text within a number of UTF-8 bytes, without splitting a character. */
export function truncateUtf8(text: string, most: number): string {
  let size = 0;
  let end = 0;
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > most) break;
    end += character.length;
  }
  return text.slice(0, end);
}

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

/** Closes connections with the code and message of an error. */
export function closeWithError(
  context: ServerContext,
  path: string,
  clients: readonly SocketClient[],
  error: unknown,
): void {
  const open = clients.filter(({ isOpen }) => isOpen);
  if (open.length === 0) return;
  const { code, message } = toRunFailure(error).error;
  logBug(context, error);
  context.options.log.debug?.(`${path}: closed: ${message}`);
  for (const client of open)
    client.close(code === 'terminated' ? CLOSE_CODE.goingAway : CLOSE_CODE.failed, message);
}

/** Maximum bytes of the head of a final, unmasked text frame (RFC 6455, section 5.2). */
const MAX_FRAME_HEAD_BYTES = 10;
const FINAL_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/**
 * Consecutive text frames, one per message, to be written to a connection together. The memory is reused, and grows for a
 * frame that does not fit. It is not `pageMemory`: single bytes are written to that at half the speed.
 */
export class FrameBuffer {
  #bytes = Buffer.allocUnsafeSlow(16 * 1024);
  length = 0;
  count = 0;

  /** Adds the message in the UTF-8 bytes from `start` to `end`, exclusive. */
  add(text: Uint8Array, start: number, end: number): void {
    const size = end - start;
    if (this.length + MAX_FRAME_HEAD_BYTES + size > this.#bytes.length)
      this.#grow(this.length + MAX_FRAME_HEAD_BYTES + size);
    const at = this.#head(size);
    this.#bytes.set(text.subarray(start, end), at);
    this.length = at + size;
    this.count++;
  }

  /** Whether the buffered messages and one more of `size` bytes fit into `memory` bytes. */
  fits(size: number, memory: number): boolean {
    return this.length + MAX_FRAME_HEAD_BYTES + size <= memory;
  }

  /** The frames; valid until the next message is added. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  /** Removes all frames, and frees memory above `maxBytes`. */
  clear(maxBytes: number): void {
    this.length = 0;
    this.count = 0;
    if (this.#bytes.length > maxBytes) this.#bytes = Buffer.allocUnsafeSlow(maxBytes);
  }

  #head(size: number): number {
    const bytes = this.#bytes;
    const at = this.length;
    bytes[at] = FINAL_TEXT;
    if (size < LENGTH_16) {
      bytes[at + 1] = size;
      return at + 2;
    }
    if (size < 0x1_0000) {
      bytes[at + 1] = LENGTH_16;
      return bytes.writeUInt16BE(size, at + 2);
    }
    bytes[at + 1] = LENGTH_64;
    bytes.writeUInt32BE(0, at + 2);
    return bytes.writeUInt32BE(size, at + 6);
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
