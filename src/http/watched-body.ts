import { TickhaulError } from '../base/errors.js';
import { formatDuration, formatSize, plural } from '../base/units.js';

/** Unread bytes after which the connection is paused. */
const BUFFER_BYTES = 256 * 1024;
/** Default limit for a body that is read as a whole. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Maximum size of one buffer while a body is read as a whole. */
const MAX_BLOCK_BYTES = 1024 * 1024;

export interface WatchedBodyOptions {
  /** Host and path, for errors. */
  readonly name: string;
  /** Longest wait for the next byte. */
  readonly stallTimeoutMs: number;
  /** Value of Content-Length. */
  readonly announcedBytes: number | undefined;
}

/** The connection that delivers a body. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** Aborts the response; has no effect once it has ended. */
  abort(): void;
}

/** The bytes of a response, readable once. Destroy it unless it is read to its end. */
export interface ResponseBody extends AsyncIterable<Buffer> {
  destroy(): void;
}

/**
 * Passes bytes from a connection to one reader, with back-pressure. The iteration ends normally only if the
 * response is complete. Otherwise, after all received bytes, it throws `stalled`, `short_body` if fewer bytes
 * arrived than announced, `reset`, or the TickhaulError that aborted it. A slow reader never causes a stall:
 * only waiting for the network counts.
 */
export class WatchedBody implements ResponseBody, AsyncIterator<Buffer, undefined> {
  readonly #source: BodySource;
  readonly #options: WatchedBodyOptions;
  readonly #chunks: Buffer[] = [];
  #buffered = 0;
  #received = 0;
  #isPaused = false;
  #end: 'whole' | TickhaulError | undefined;
  #wake: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(source: BodySource, options: WatchedBodyOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Adds received bytes. */
  push(chunk: Buffer): void {
    if (this.#end) return;
    this.#received += chunk.length;
    this.#buffered += chunk.length;
    this.#chunks.push(chunk);
    if (this.#buffered >= BUFFER_BYTES && !this.#isPaused) {
      this.#isPaused = true;
      this.#source.pause();
    }
    this.#wake?.();
  }

  /** Marks the end of the response. */
  finish(): void {
    const { announcedBytes } = this.#options;
    const isWhole = announcedBytes === undefined || this.#received >= announcedBytes;
    this.#close(isWhole ? 'whole' : this.#createEndError(undefined));
  }

  /** Ends the body after a connection error or an abort. */
  fail(error: unknown): void {
    this.#close(this.#createEndError(error));
  }

  destroy(): void {
    const isArriving = !this.#end;
    this.#chunks.length = 0;
    this.#close('whole');
    if (isArriving) this.#source.abort();
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer, undefined> {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (this.#chunks.length === 0 && !this.#end) await this.#waitForMore();
    const chunk = this.#chunks.shift();
    if (chunk) {
      this.#buffered -= chunk.length;
      if (this.#isPaused && this.#buffered < BUFFER_BYTES / 2) {
        this.#isPaused = false;
        this.#source.resume();
      }
      return { value: chunk, done: false };
    }
    if (this.#end instanceof TickhaulError) throw this.#end;
    return { value: undefined, done: true };
  }

  /** Called when a loop over the body is left early. */
  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.destroy();
    return { value: undefined, done: true };
  }

  #waitForMore(): Promise<void> {
    // Refreshing a timer costs less than creating one for each chunk.
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#stall(), this.#options.stallTimeoutMs);
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }

  #stall(): void {
    this.#timer = undefined;
    // The reader is busy and does not wait for bytes.
    if (!this.#wake) return;
    const { name, stallTimeoutMs } = this.#options;
    const reason = `no byte for ${formatDuration(stallTimeoutMs)} after ${formatSize(this.#received)}`;
    this.#close(new TickhaulError('stalled', `${name}: ${reason}`));
    this.#source.abort();
  }

  #close(end: 'whole' | TickhaulError): void {
    this.#end ??= end;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wake?.();
  }

  #createEndError(cause: unknown): TickhaulError {
    if (cause instanceof TickhaulError) return cause;
    const { name, announcedBytes } = this.#options;
    const received = this.#received;
    const wasReset = cause instanceof Error && 'code' in cause && cause.code === 'ECONNRESET';
    if (announcedBytes !== undefined && received < announcedBytes && !wasReset) {
      const reason = `received only ${received} of the ${plural(announcedBytes, 'announced byte')}`;
      return new TickhaulError('short_body', `${name}: ${reason}`, { cause });
    }
    return new TickhaulError('reset', `${name}: the connection broke after ${plural(received, 'byte')}`, {
      cause,
    });
  }
}

/** Reads an unneeded body to its end, so that its connection can be reused; aborts it if it is too long. */
export async function discardBody(body: ResponseBody, maxBytes = 64 * 1024): Promise<void> {
  await readBody(body, maxBytes).catch(() => undefined);
}

/** Reads a whole body. If it is longer than the limit, returns only its beginning and aborts the rest. */
export async function readBody(body: ResponseBody, maxBytes = MAX_BODY_BYTES): Promise<Buffer> {
  const { blocks } = await readBlocks(body, maxBytes);
  return Buffer.concat(blocks);
}

/** Reads a whole body. If it is longer than the limit, aborts it there and returns undefined. */
export async function readWholeBody(body: ResponseBody, maxBytes: number): Promise<Buffer | undefined> {
  const { blocks, length } = await readBlocks(body, maxBytes);
  return length > maxBytes ? undefined : Buffer.concat(blocks);
}

/** Copies chunks into blocks: a small chunk would keep the connection's whole buffer in memory. */
async function readBlocks(
  body: ResponseBody,
  maxBytes: number,
): Promise<{ readonly blocks: readonly Buffer[]; readonly length: number }> {
  const blocks: Buffer[] = [];
  let length = 0;
  let block: Buffer = Buffer.alloc(0);
  let used = 0;
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; ) {
      if (used === block.length) {
        block = Buffer.allocUnsafeSlow(Math.min(MAX_BLOCK_BYTES, Math.max(chunk.length - at, length)));
        blocks.push(block);
        used = 0;
      }
      const copied = chunk.copy(block, used, at);
      used += copied;
      at += copied;
      length += copied;
    }
    if (length > maxBytes) break;
  }
  if (blocks.length > 0) blocks[blocks.length - 1] = block.subarray(0, used);
  return { blocks, length };
}
