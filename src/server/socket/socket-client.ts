import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { TickhaulError } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';
import type { ServerMetrics } from '../server-metrics.js';
import { StallWatch } from '../stall-watch.js';
import { FrameBuffer } from './frame-buffer.js';

/** Maximum size of one write of frames. */
export const FRAME_WRITE_BYTES = 128 * 1024;

/** Bytes of memory that a connection keeps after a write; only few messages need more. */
const MAX_KEPT_BYTES = 2 * FRAME_WRITE_BYTES;

/** Close codes (RFC 6455, section 7.4.1). */
export const CLOSE_CODE = {
  /** Everything was sent. */
  finished: 1000,
  /** The server is shutting down. */
  goingAway: 1001,
  /** Unknown path, or a client that is too slow for a live stream. */
  policy: 1008,
  /** The request failed; see the reason. */
  failed: 1011,
  /** Too many clients. */
  tryLater: 1013,
} as const;

/** Maximum bytes of a close frame's reason (RFC 6455, section 5.5). */
const MAX_REASON_BYTES = 123;

/** A WebSocket connection. */
export class SocketClient {
  /** Buffered frames. */
  readonly frames = new FrameBuffer();
  readonly #ws: WebSocket;
  readonly #connection: Duplex;
  readonly #metrics: ServerMetrics;
  readonly #watch = new StallWatch();
  readonly #gone = new AbortController();
  /** Whether the client has sent or read anything since the last `beat`. */
  #isAlive = true;

  /** @param connection carries the WebSocket; only whole frames are written to it, here and by `ws`. */
  constructor(ws: WebSocket, connection: Duplex, metrics: ServerMetrics) {
    this.#ws = ws;
    this.#connection = connection;
    this.#metrics = metrics;
    metrics.openSockets++;
    ws.on('pong', () => {
      this.#isAlive = true;
    });
    // After an invalid frame, `ws` closes the connection with a code.
    ws.on('error', () => {});
    ws.once('close', () => {
      metrics.openSockets--;
      this.#disconnect();
    });
  }

  /** Aborted when the connection is closed. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  get isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN && !this.signal.aborted;
  }

  /** Whether a write to the client has waited for 5 s. */
  get isStalled(): boolean {
    return this.#watch.isStalled;
  }

  /** @param listener receives the text of each message. */
  onText(listener: (text: string) => void): void {
    this.#ws.on('message', (data, isBinary) => {
      this.#isAlive = true;
      if (!isBinary) listener(String(data));
    });
  }

  /** Writes the buffered frames and waits until the connection has accepted them. @throws `reset` if it closes. */
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

  /** Sends a message at once, ahead of buffered frames. */
  send(text: string): void {
    if (!this.isOpen) return;
    this.#ws.send(text);
    this.#metrics.messages++;
    this.#metrics.bytes += Buffer.byteLength(text);
  }

  /** @param reason is truncated to the maximum. */
  close(code: number, reason: string): void {
    this.#ws.close(code, truncateUtf8(reason, MAX_REASON_BYTES));
  }

  /** Closes the connection at once. */
  cut(): void {
    this.#ws.terminate();
  }

  /** Sends a ping. Closes the connection if the client did not respond to the last one. */
  beat(): void {
    if (!this.#isAlive) this.cut();
    else if (this.isOpen) this.#ws.ping();
    this.#isAlive = false;
  }

  #disconnect(): void {
    this.#gone.abort(new TickhaulError('reset', 'the client left'));
  }

  #write(bytes: Buffer): Promise<void> {
    this.#watch.begin();
    const written = new Promise<void>((resolve) => {
      this.#connection.write(bytes, (error) => {
        this.#watch.end();
        this.#isAlive = true;
        // `ws` emits the close event later.
        if (error) this.#disconnect();
        else resolve();
      });
    });
    return rejectOnAbort(written, this.signal);
  }
}

/** The longest start of a text of at most `maxBytes` in UTF-8, without splitting a character. */
export function truncateUtf8(text: string, maxBytes: number): string {
  let size = 0;
  let end = 0;
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}
