import { stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { diskError, TickhaulError } from '../base/errors.js';
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

/** Bytes of a file from which on the kernel's start costs less than it saves. */
const WORTH_A_KERNEL = 4_000_000;

/**
 * Reads a whole gzip file: a large one in this thread, by the inflate kernel. What that refuses is read again by
 * Node's zlib, which has the last word.
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
  const { onText } = reader;
  let bytes = 0;
  const onBytes = (chunk: Buffer): void => {
    bytes += chunk.length;
    reader.onBytes(chunk);
  };
  const kernel = (await sizeOf(path)) < WORTH_A_KERNEL ? undefined : startInflate(onText);
  try {
    await readBy(kernel ?? startGunzip(onText, LARGE_TEXT_CHUNK), read, path, onBytes, signal);
  } catch (error) {
    if (!(error instanceof InflateRefusal)) throw error;
    const zlib = startGunzip(textAfter(error, onText), LARGE_TEXT_CHUNK);
    await readBy(zlib, read, path, bytesAfter(bytes, reader.onBytes), signal);
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    throw diskError(error, path);
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

/** Passes on the text that the kernel didn't give, once what it gave and couldn't prove is seen to be the same. */
function textAfter({ given, proven, crc }: InflateRefusal, onText: TextSink): TextSink {
  let at = 0;
  let sum = 0;
  return (chunk) => {
    const known = chunk.subarray(0, Math.max(0, given - at));
    sum = crc32(known.subarray(Math.max(0, proven - at)), sum);
    at += chunk.length;
    if (known.length > 0 && at >= given && given > proven && sum !== crc) {
      throw new TickhaulError(
        'corrupt',
        `the text isn't the same when it is read again, in its first ${given} bytes`,
      );
    }
    return known.length < chunk.length ? onText(chunk.subarray(known.length)) : undefined;
  };
}
