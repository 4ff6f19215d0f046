import { TickhaulError } from '../base/errors.js';
import { formatDuration, formatSize, plural } from '../base/units.js';

/** Bytes that wait for their reader before the connection is held back. */
const BUFFER_BYTES = 256 * 1024;
/** Bytes of a body that is read in one piece, unless its reader knows better. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Bytes of a body that are gathered in one piece of memory. */
const MAX_BLOCK = 1024 * 1024;

export interface WatchedBodyOptions {
  /** What the errors name: host and path. */
  readonly name: string;
  /** Milliseconds without a byte, while one is waited for, after which the body is broken off. */
  readonly stallTimeoutMs: number;
  /** Bytes that Content-Length announced. */
  readonly announced: number | undefined;
}

/** The connection that a body comes over. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** Breaks the answer off; of no effect once all of it came. */
  abort(): void;
}

/** An answer's bytes, to be read once. Whoever doesn't read it to its end must destroy it. */
export interface ResponseBody extends AsyncIterable<Buffer> {
  destroy(): void;
}

/**
 * Bytes on their way from a connection to one reader, and no more of them than the reader takes. They end only when the
 * answer is whole: else with `stalled`, with `short_body` where fewer bytes came than announced, with `reset`, or with
 * the TickhaulError that broke it off (an abort's reason). What came before is read first. A slow reader never stalls
 * it: time counts only while the network is waited for.
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

  /** Bytes came. */
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

  /** All bytes that will ever come are there. */
  finish(): void {
    const { announced } = this.#options;
    const isWhole = announced === undefined || this.#received >= announced;
    this.#close(isWhole ? 'whole' : this.#brokenOff(undefined));
  }

  /** The connection broke, or was broken off. */
  fail(error: unknown): void {
    this.#close(this.#brokenOff(error));
  }

  destroy(): void {
    const isOnItsWay = !this.#end;
    this.#chunks.length = 0;
    this.#close('whole');
    if (isOnItsWay) this.#source.abort();
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer, undefined> {
    return this;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    while (this.#chunks.length === 0 && !this.#end) await this.#more();
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

  /** A loop over it was left. */
  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.destroy();
    return { value: undefined, done: true };
  }

  #more(): Promise<void> {
    // A timer that is refreshed costs less than one that is made for each chunk.
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
    // Its reader is busy, and waits for nothing.
    if (!this.#wake) return;
    const { name, stallTimeoutMs } = this.#options;
    const found = `no byte for ${formatDuration(stallTimeoutMs)} after ${formatSize(this.#received)}`;
    this.#close(new TickhaulError('stalled', `${name}: ${found}`));
    this.#source.abort();
  }

  #close(end: 'whole' | TickhaulError): void {
    this.#end ??= end;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wake?.();
  }

  #brokenOff(cause: unknown): TickhaulError {
    if (cause instanceof TickhaulError) return cause;
    const { name, announced } = this.#options;
    const received = this.#received;
    const wasReset = cause instanceof Error && 'code' in cause && cause.code === 'ECONNRESET';
    if (announced !== undefined && received < announced && !wasReset) {
      const found = `${received} of the ${plural(announced, 'announced byte')} came`;
      return new TickhaulError('short_body', `${name}: ${found}`, { cause });
    }
    return new TickhaulError('reset', `${name}: the connection broke after ${plural(received, 'byte')}`, {
      cause,
    });
  }
}

/** Reads a body that nobody wants to its end, so that its connection can serve again; a long one is broken off. */
export async function discardBody(body: ResponseBody, limit = 64 * 1024): Promise<void> {
  await readBody(body, limit).catch(() => undefined);
}

/** The whole body, or its first bytes, somewhat more than the limit: what lies past it is broken off. */
export async function readBody(body: ResponseBody, limit = MAX_BODY_BYTES): Promise<Buffer> {
  const { blocks } = await gather(body, limit);
  return Buffer.concat(blocks);
}

/** The whole body; undefined for one past the limit, which then takes no more memory than the limit. */
export async function readWholeBody(body: ResponseBody, limit: number): Promise<Buffer | undefined> {
  const { blocks, length } = await gather(body, limit);
  return length > limit ? undefined : Buffer.concat(blocks);
}

/** Copies chunks into blocks: a small chunk keeps the whole of the connection's buffer that it lies in. */
async function gather(
  body: ResponseBody,
  limit: number,
): Promise<{ readonly blocks: readonly Buffer[]; readonly length: number }> {
  const blocks: Buffer[] = [];
  let length = 0;
  let block: Buffer = Buffer.alloc(0);
  let used = 0;
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; ) {
      if (used === block.length) {
        block = Buffer.allocUnsafeSlow(Math.min(MAX_BLOCK, Math.max(chunk.length - at, length)));
        blocks.push(block);
        used = 0;
      }
      const copied = chunk.copy(block, used, at);
      used += copied;
      at += copied;
      length += copied;
    }
    if (length > limit) break;
  }
  if (blocks.length > 0) blocks[blocks.length - 1] = block.subarray(0, used);
  return { blocks, length };
}
