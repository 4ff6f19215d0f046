import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { TickhaulError } from '../../base/errors.js';
import { rejectOnAbort } from '../../base/wait.js';
import type { ServerMetrics } from '../server-metrics.js';
import { StallWatch } from '../stall-watch.js';
import { FrameBuffer } from './frame-buffer.js';

/** Maximum size of one write of frames. */
export const FRAME_WRITE_BYTES = 128 * 1024;

/** Bytes of memory that a connection keeps; more is for few messages. */
const MAX_KEPT_BYTES = 2 * FRAME_WRITE_BYTES;

/** Close codes (RFC 6455, section 7.4.1). */
export const CLOSE_CODE = {
  /** All was sent. */
  finished: 1000,
  /** The server ends. */
  goingAway: 1001,
  /** No such path, or a client that is too slow for what happens now. */
  policy: 1008,
  /** It can't be answered, or not to its end; the reason says why. */
  failed: 1011,
  /** More clients than are served at once. */
  tryLater: 1013,
} as const;

/** Bytes of a close frame's reason (RFC 6455, 5.5). */
const MAX_REASON_BYTES = 123;

/** A WebSocket connection. */
export class SocketClient {
  /** Gathered, not yet written. */
  readonly frames = new FrameBuffer();
  readonly #ws: WebSocket;
  readonly #connection: Duplex;
  readonly #metrics: ServerMetrics;
  readonly #watch = new StallWatch();
  readonly #gone = new AbortController();
  /** Whether anything came from it, or was taken by it, since `beat` looked. */
  #isAlive = true;

  /** @param connection that carries the WebSocket: only whole frames are written to it, here and by the WebSocket. */
  constructor(ws: WebSocket, connection: Duplex, metrics: ServerMetrics) {
    this.#ws = ws;
    this.#connection = connection;
    this.#metrics = metrics;
    metrics.openSockets++;
    ws.on('pong', () => {
      this.#isAlive = true;
    });
    // What is wrong with what it sends closes it, with a code that says so.
    ws.on('error', () => {});
    ws.once('close', () => {
      metrics.openSockets--;
      this.#leave();
    });
  }

  /** Aborted when the connection is closed. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  get isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN && !this.signal.aborted;
  }

  /** Whether it has taken no byte for 5 s, though there are some for it. */
  get isStalled(): boolean {
    return this.#watch.isStalled;
  }

  /** @param listener takes the text of each message. */
  onText(listener: (text: string) => void): void {
    this.#ws.on('message', (data, isBinary) => {
      this.#isAlive = true;
      if (!isBinary) listener(String(data));
    });
  }

  /** Writes what is gathered, and waits until the connection has taken it. @throws the reason that it closed. */
  async flush(): Promise<void> {
    const { frames } = this;
    if (frames.length === 0) return;
    const { length, count } = frames;
    try {
      if (!this.isOpen) return;
      await this.#taken(frames.bytes);
      this.#metrics.bytes += length;
      this.#metrics.messages += count;
    } finally {
      frames.clear(MAX_KEPT_BYTES);
    }
  }

  /** Sends a message at once, beside those that are gathered. */
  send(text: string): void {
    if (!this.isOpen) return;
    this.#ws.send(text);
    this.#metrics.messages++;
    this.#metrics.bytes += Buffer.byteLength(text);
  }

  /** The reason is cut to what fits. */
  close(code: number, reason: string): void {
    this.#ws.close(code, truncateUtf8(reason, MAX_REASON_BYTES));
  }

  /** Closes the connection at once. */
  cut(): void {
    this.#ws.terminate();
  }

  /** Asks whether it is still there, and cuts it off where the last time had no answer. */
  beat(): void {
    if (!this.#isAlive) this.cut();
    else if (this.isOpen) this.#ws.ping();
    this.#isAlive = false;
  }

  #leave(): void {
    this.#gone.abort(new TickhaulError('reset', 'the client left'));
  }

  #taken(bytes: Buffer): Promise<void> {
    this.#watch.onWriteStart();
    const written = new Promise<void>((resolve) => {
      this.#connection.write(bytes, (error) => {
        this.#watch.onWriteEnd();
        this.#isAlive = true;
        // The WebSocket hears of it later than this write does.
        if (error) this.#leave();
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
