import { TickhaulError } from '../base/errors.js';
import { Semaphore } from '../base/semaphore.js';
import { toOneLine } from '../base/text.js';
import type { LineSink } from '../market/lines/line-buffer.js';
import { ReservedText, type TextBudget } from '../raw-feeds/feed-read-context.js';

/**
 * Limits the clients of both ports and all processes: WebSocket connections, and HTTP responses that replay. A client
 * above the limit is refused; it does not wait.
 */
export interface ClientLimit {
  /** @returns false above the limit; otherwise call `release` when the client has left. */
  tryAcquire(): Promise<boolean>;
  release(): void;
}

/** The limit of one process. */
export function createClientLimit(max: number): ClientLimit {
  let clients = 0;
  return {
    async tryAcquire() {
      if (clients >= max) return false;
      clients++;
      return true;
    },
    release: () => void clients--,
  };
}

/** Message for a client above the limit. */
export function tooManyClients(max: number): TickhaulError {
  const message = `too many clients: ${max} are being served; try again later, or serve with a higher --max-clients`;
  return new TickhaulError('server_error', message);
}

/** Sizes in bytes of the buffers of one client's replay. */
export interface ClientBuffers {
  /** Text of a day file that is read at once; its lines and their times need eight times as much. */
  readonly textBytes: number;
  /** Text or lines of a feed. */
  readonly bufferBytes: number;
  readonly writeBytes: number;
}

/** All small buffers of a client together need at most 512 KB. */
const SMALL: ClientBuffers = { textBytes: 16 * 1024, bufferBytes: 40 * 1024, writeBytes: 40 * 1024 };
/** Twice as fast, since threads exchange fewer messages. */
const LARGE: ClientBuffers = { textBytes: 256 * 1024, bufferBytes: 256 * 1024, writeBytes: 256 * 1024 };
/** Bytes of all buffers of a replay with `LARGE`. */
const LARGE_REPLAY_BYTES = 3 * 1024 * 1024;
const MIN_BUFFER_BYTES = 8 * 1024;
/** Bytes that all replays of a server share, for text of slices read ahead and for large buffers. */
export const SHARED_TEXT_BYTES = 64 * 1024 * 1024;

/**
 * Runs a replay for one client. Its buffers are large while a quarter of the shared memory is free, and small otherwise: the
 * number of clients that never read must not multiply the large ones.
 * @param inputs number of inputs that are merged; each has separate buffers.
 */
export async function withClientBuffers<T>(
  shared: TextBudget,
  inputs: number,
  replay: (buffers: ClientBuffers) => Promise<T>,
): Promise<T> {
  const reserved = new ReservedText(shared);
  const isLarge =
    shared.left - LARGE_REPLAY_BYTES >= shared.bytes / 4 && reserved.tryReserve(LARGE_REPLAY_BYTES);
  const { textBytes, bufferBytes, writeBytes } = isLarge ? LARGE : SMALL;
  const inputBytes = Math.max(MIN_BUFFER_BYTES, Math.floor(bufferBytes / inputs));
  try {
    return await replay({ textBytes, bufferBytes: inputBytes, writeBytes });
  } finally {
    reserved.close();
  }
}

/** Writes and starts of replays in one turn of the event loop; together they take some milliseconds. */
const MAX_PER_TURN = 32;

/**
 * Limits what replays do in one turn of the event loop, so that a server with many of them still accepts
 * connections and responds to other requests.
 */
export class WritePacer {
  readonly #turn = new Semaphore(MAX_PER_TURN);

  /** The same output, whose writes wait for their turn. */
  pace(output: LineSink): LineSink {
    return {
      write: async (bytes) => {
        await this.waitForTurn();
        await output.write(bytes);
      },
    };
  }

  /** Resolves when one more replay may write or start. */
  async waitForTurn(): Promise<void> {
    setImmediate(await this.#turn.acquire());
  }
}

/** A client counts as stalled if a write takes longer. */
const STALL_TIMEOUT_MS = 5000;

/** Detects a client that does not read. Writes are small, so the duration of the current one is enough. */
export class StallWatch {
  #writeStartMs: number | undefined;

  /** Whether the current write has taken longer than 5 s. */
  get isStalled(): boolean {
    return this.#writeStartMs !== undefined && performance.now() - this.#writeStartMs >= STALL_TIMEOUT_MS;
  }

  onWriteStart(): void {
    this.#writeStartMs = performance.now();
  }

  onWriteEnd(): void {
    this.#writeStartMs = undefined;
  }
}

/** Limit how much memory clients can use up by triggering different warnings, which quote what they sent. */
const MAX_REMEMBERED_LINES = 10_000;
const MAX_LINE_CHARACTERS = 1000;

/** Creates a function that passes each distinct line on once, cut to its start. */
export function createWarnOnce(warn: (line: string) => void): (line: string) => void {
  const warned = new Set<string>();
  return (line) => {
    // A copy, since a part of a text keeps all of it in memory.
    const shown = Buffer.from(toOneLine(line, MAX_LINE_CHARACTERS)).toString();
    if (warned.has(shown) || warned.size >= MAX_REMEMBERED_LINES) return;
    warned.add(shown);
    warn(shown);
  };
}
