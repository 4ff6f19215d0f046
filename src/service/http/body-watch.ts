import { Readable } from 'node:stream';
import { TickhaulError } from '../../base/errors.js';
import { formatDuration, formatSize, plural } from '../../base/units.js';

const BUFFER_BYTES = 256 * 1024;
/** Bytes of a body that is read in one piece, unless its reader knows better. */
const MAX_BODY = 64 * 1024 * 1024;

export interface WatchOptions {
  /** What the errors name: host and path. */
  readonly name: string;
  /** Milliseconds without a byte, while one is waited for, after which the body is broken off. */
  readonly stallTimeoutMs: number;
  /** Bytes that Content-Length announced. */
  readonly announced: number | undefined;
}

/**
 * The same bytes as a stream that ends only when the answer is whole. It errors with `stalled`, with
 * `short_body` where fewer bytes came than announced, or with `reset`; any other TickhaulError of the source
 * (an abort's reason) is kept. A slow reader never stalls it: time counts only while the network is waited for.
 */
export function watchBody(source: Readable, options: WatchOptions): Readable {
  const { name, stallTimeoutMs } = options;
  let received = 0;
  let timer: NodeJS.Timeout | undefined;

  const stopWaiting = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const stall = (): void => {
    body.destroy(
      new TickhaulError(
        'stalled',
        `${name}: no byte for ${formatDuration(stallTimeoutMs)} after ${formatSize(received)}`,
      ),
    );
  };
  const body = new Readable({
    highWaterMark: BUFFER_BYTES,
    read() {
      timer ??= setTimeout(stall, stallTimeoutMs);
      source.resume();
    },
    destroy(error, done) {
      stopWaiting();
      source.destroy();
      done(error);
    },
  });

  // It may break before anybody reads it; whoever reads it later is still told.
  body.on('error', () => {});
  source.pause();
  source.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (body.push(chunk)) {
      timer?.refresh();
    } else {
      stopWaiting();
      source.pause();
    }
  });
  source.on('end', () => {
    stopWaiting();
    if (options.announced === undefined || received >= options.announced) body.push(null);
    else body.destroy(brokenOff(options, received, undefined));
  });
  source.on('error', (error) => body.destroy(brokenOff(options, received, error)));
  // Without an error and without an end: nothing else would tell the reader.
  source.on('close', () => {
    if (!source.readableEnded) body.destroy(brokenOff(options, received, undefined));
  });
  return body;
}

function brokenOff({ name, announced }: WatchOptions, received: number, cause: unknown): TickhaulError {
  if (cause instanceof TickhaulError) return cause;
  const wasReset = cause instanceof Error && 'code' in cause && cause.code === 'ECONNRESET';
  if (announced !== undefined && received < announced && !wasReset) {
    return new TickhaulError('short_body', `${name}: ${received} of the ${announced} announced bytes came`, {
      cause,
    });
  }
  return new TickhaulError('reset', `${name}: the connection broke after ${plural(received, 'byte')}`, {
    cause,
  });
}

/** Reads a body that nobody wants to its end, so that its connection can serve again; a long one is broken off. */
export async function discardBody(body: Readable, limit = 64 * 1024): Promise<void> {
  await readBody(body, limit).catch(() => undefined);
}

/** The whole body, or its first bytes, somewhat more than the limit: what lies past it is broken off. */
export async function readBody(body: Readable, limit = MAX_BODY): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) break;
  }
  return Buffer.concat(chunks);
}
