import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { Decompress } from 'fzstd';
import { TickhaulError } from '../../base/errors.js';
import type { TextSink } from '../../gzip/gunzip.js';

/** Compressed bytes for one call of the portable decoder, so that it returns text regularly. */
const PIECE_BYTES = 128 * 1024;

/** Node has zstd from 22.15 on; the type declarations are those of Node 20. */
interface NativeZstd {
  readonly createZstdDecompress?: (options: { readonly chunkSize: number }) => Transform;
}

const { createZstdDecompress } = zlib as NativeZstd;

/** Whether Node decompresses zstd itself; otherwise gzip is faster. */
export const HAS_ZSTD = createZstdDecompress !== undefined;

/**
 * Decompresses one whole zstd frame.
 * @param chunkBytes maximum text in one chunk of Node's decoder.
 * @throws TickhaulError `corrupt`, and what `onText` throws.
 */
export async function unzstd(frame: Buffer, onText: TextSink, chunkBytes: number): Promise<void> {
  for await (const text of createZstdDecompress
    ? decompressNative(createZstdDecompress, frame, chunkBytes)
    : decompressPortable(frame)) {
    await onText(text);
  }
}

async function* decompressNative(
  create: NonNullable<NativeZstd['createZstdDecompress']>,
  frame: Buffer,
  chunkBytes: number,
): AsyncGenerator<Buffer> {
  const stream = create({ chunkSize: chunkBytes });
  stream.end(frame);
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw toCorruptError(error);
  }
}

/** Does not verify zstd checksums. */
function* decompressPortable(frame: Buffer): Generator<Buffer> {
  const texts: Buffer[] = [];
  const decoder = new Decompress((text) => {
    texts.push(Buffer.from(text.buffer, text.byteOffset, text.length));
  });
  for (let at = 0; at < frame.length; at += PIECE_BYTES) {
    try {
      // The decoder keeps its input and may overwrite it.
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
