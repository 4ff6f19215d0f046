import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { Decompress } from 'fzstd';
import { TickhaulError } from '../../base/errors.js';
import type { TextSink } from '../../integrity/gunzip.js';

/** Compressed bytes that are given to the slower decoder at once, so that it gives text now and then. */
const PIECE_BYTES = 128 * 1024;

/** Node has zstd of its own from 22.15; the types are those of Node 20. */
interface NativeZstd {
  readonly createZstdDecompress?: (options: { readonly chunkSize: number }) => Transform;
}

const { createZstdDecompress } = zlib as NativeZstd;

/** Whether Node reads zstd itself: without that, gzip is quicker. */
export const HAS_ZSTD = createZstdDecompress !== undefined;

/** Decompresses one whole zstd frame. @param chunk bytes of text that Node's own zstd gives at once. @throws TickhaulError `createCorruptError`, and what the sink throws. */
export async function unzstd(frame: Buffer, onText: TextSink, chunk: number): Promise<void> {
  for await (const text of createZstdDecompress
    ? decompressNative(createZstdDecompress, frame, chunk)
    : decompressPortable(frame)) {
    await onText(text);
  }
}

async function* decompressNative(
  create: NonNullable<NativeZstd['createZstdDecompress']>,
  frame: Buffer,
  chunk: number,
): AsyncGenerator<Buffer> {
  const stream = create({ chunkSize: chunk });
  stream.end(frame);
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw toCorruptError(error);
  }
}

/** It doesn't check zstd's checksums. */
function* decompressPortable(frame: Buffer): Generator<Buffer> {
  const texts: Buffer[] = [];
  const decoder = new Decompress((text) => {
    texts.push(Buffer.from(text.buffer, text.byteOffset, text.length));
  });
  for (let at = 0; at < frame.length; at += PIECE_BYTES) {
    try {
      // It keeps what it is given, and may write to it.
      decoder.push(Uint8Array.from(frame.subarray(at, at + PIECE_BYTES)), at + PIECE_BYTES >= frame.length);
    } catch (error) {
      throw toCorruptError(error);
    }
    yield* texts.splice(0);
  }
}

function toCorruptError(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof TickhaulError) return cause;
  return new TickhaulError('corrupt', `damaged zstd stream: ${cause.message}`, { cause });
}
