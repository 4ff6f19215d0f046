import { crc32 } from 'node:zlib';
import { type GunzipPass, LARGE_TEXT_CHUNK, startGunzip, type TextSink } from './gunzip.js';
import { startInflate } from './inflate/inflate.js';
import { InflateRefusal } from './inflate/member-inflater.js';
import { type ReadChunks, readChunks } from './read-chunks.js';

/** What is told of a gzip file, from its first byte to its last, each once. */
export interface GzipReader {
  /** Compressed bytes. The chunk is overwritten after. */
  readonly onBytes: (chunk: Buffer) => void;
  /** A chunk is good until the promise resolves. */
  readonly onText: TextSink;
}

/**
 * Reads a whole gzip file in this thread, by the inflate kernel. What that refuses is read again by Node's zlib,
 * which has the last word.
 * @param read how the file's bytes are read.
 * @throws TickhaulError `corrupt` where it is no whole gzip file, `disk`, the reason of an abort, and what the reader
 * throws.
 */
export async function readGzip(
  path: string,
  reader: GzipReader,
  signal?: AbortSignal,
  read: ReadChunks = readChunks,
): Promise<void> {
  let bytes = 0;
  const onBytes = (chunk: Buffer): void => {
    bytes += chunk.length;
    reader.onBytes(chunk);
  };
  try {
    const pass = startInflate(reader.onText) ?? startGunzip(reader.onText, LARGE_TEXT_CHUNK);
    await readBy(pass, read, path, onBytes, signal);
  } catch (error) {
    if (!(error instanceof InflateRefusal)) throw error;
    const pass = startGunzip(textAfter(error, reader.onText), LARGE_TEXT_CHUNK);
    await readBy(pass, read, path, bytesAfter(bytes, reader.onBytes), signal);
  }
}

async function readBy(
  pass: GunzipPass,
  read: ReadChunks,
  path: string,
  onBytes: (chunk: Buffer) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await read(
      path,
      async (chunk) => {
        const used = pass.write(chunk);
        onBytes(chunk);
        await used;
      },
      signal,
    );
    await pass.finish();
  } finally {
    pass.destroy();
  }
}

/** Passes on what stands behind the first `count` bytes. */
function bytesAfter(count: number, onBytes: (chunk: Buffer) => void): (chunk: Buffer) => void {
  let left = count;
  return (chunk) => {
    const rest = chunk.subarray(left);
    left -= chunk.length - rest.length;
    if (rest.length > 0) onBytes(rest);
  };
}

/** Passes on the text that the kernel didn't give, once what it gave has shown to be the same. */
function textAfter({ given, proven, crc }: InflateRefusal, onText: TextSink): TextSink {
  let at = 0;
  let sum = 0;
  return (chunk) => {
    const start = at;
    at += chunk.length;
    const end = Math.min(given - start, chunk.length);
    if (end > 0 && start + end > proven) {
      sum = crc32(chunk.subarray(Math.max(0, proven - start), end), sum);
    }
    if (end > 0 && start + end === given && given > proven && sum !== crc) {
      throw new Error(`the inflate kernel gave a text that isn't zlib's, in its first ${given} bytes`);
    }
    return end < chunk.length ? onText(chunk.subarray(Math.max(0, end))) : undefined;
  };
}
