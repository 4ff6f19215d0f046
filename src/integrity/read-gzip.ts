import { availableParallelism } from 'node:os';
import { crc32 } from 'node:zlib';
import { TickhaulError } from '../base/errors.js';
import { hasWebAssembly } from '../base/wasm.js';
import { type GunzipPass, LARGE_TEXT_CHUNK_BYTES, startGunzip, type TextSink } from './gunzip.js';
import { InflatePass } from './inflate/inflate-pass.js';
import { InflateRefusal, type PassedText } from './inflate/inflated-text.js';
import { TokenPass } from './inflate/token-pass.js';
import { type ReadChunks, readChunks } from './read-chunks.js';

/** Receives the bytes and the text of a gzip file. */
export interface GzipReader {
  /** Receives compressed bytes, which are overwritten afterwards. The next chunk waits for the returned promise. */
  readonly onBytes: (chunk: Buffer) => Promise<void> | void;
  /** The chunk stays valid until the returned promise resolves. */
  readonly onText: TextSink;
}

/** Options for reading many gzip files at the same time. */
export interface GzipReadOptions {
  /** Reads the file's bytes; may be called twice. */
  readonly read: ReadChunks;
  /** Maximum size of a text chunk. */
  readonly textChunk: number;
  /**
   * Number of threads that inflate the file for the calling thread. With 0, it inflates the file itself. By
   * default, one of zlib's threads does.
   */
  readonly inflateThreads?: number | undefined;
}

/** Bytes at the start of a file, and their CRC-32. */
interface SeenBytes {
  count: number;
  crc: number;
}

const LARGE_CHUNKS: GzipReadOptions = { read: readChunks, textChunk: LARGE_TEXT_CHUNK_BYTES };

/**
 * Reads a whole gzip file. If the inflate kernel refuses it, zlib reads it again from its start, and its result
 * is final.
 * @throws TickhaulError `corrupt` if it is not a complete gzip file, `disk`; the abort reason; what the
 * reader throws.
 */
export async function readGzip(
  path: string,
  reader: GzipReader,
  signal?: AbortSignal,
  options: GzipReadOptions = LARGE_CHUNKS,
): Promise<void> {
  const { read, textChunk, inflateThreads } = options;
  if (inflateThreads === undefined)
    return readWith(startGunzip(reader.onText, textChunk), path, reader.onBytes, read, signal);
  const seen: SeenBytes = { count: 0, crc: 0 };
  const onBytes = (chunk: Buffer): Promise<void> | void => {
    seen.count += chunk.length;
    seen.crc = crc32(chunk, seen.crc);
    return reader.onBytes(chunk);
  };
  try {
    await readWith(startPass(reader.onText, textChunk, inflateThreads), path, onBytes, read, signal);
  } catch (error) {
    if (!(error instanceof InflateRefusal)) throw error;
    await readByZlib(path, reader, signal, options, seen, error.passed);
  }
}

function startPass(onText: TextSink, textChunk: number, inflateThreads: number): GunzipPass {
  if (!hasWebAssembly()) return startGunzip(onText, textChunk);
  try {
    return inflateThreads > 0 ? new TokenPass(onText, inflateThreads) : new InflatePass(onText, textChunk);
  } catch (error) {
    // Each memory of WebAssembly takes some GB of addresses, which a process may not have.
    if (error instanceof RangeError) return startGunzip(onText, textChunk);
    throw error;
  }
}

async function readWith(
  pass: GunzipPass,
  path: string,
  onBytes: GzipReader['onBytes'],
  read: ReadChunks,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await read(
      path,
      async (chunk) => {
        // Other threads inflate the chunk while this thread processes its compressed bytes.
        const used = pass.write(chunk);
        // Both must have ended before the pass is destroyed.
        const results = await Promise.allSettled([used, (async () => onBytes(chunk))()]);
        const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
        if (errors.length > 0) throw errors.find((error) => !(error instanceof InflateRefusal)) ?? errors[0];
      },
      signal,
    );
    await pass.finish();
  } finally {
    await pass.destroy();
  }
}

/**
 * Reads a gzip file with zlib.
 * @param seen bytes at its start that the reader has received already.
 * @param passed text at its start that the reader has received already.
 */
async function readByZlib(
  path: string,
  reader: GzipReader,
  signal: AbortSignal | undefined,
  { read, textChunk }: GzipReadOptions,
  seen: SeenBytes,
  passed: PassedText,
): Promise<void> {
  const skipper = createTextSkipper(passed);
  const pass = startGunzip((text) => {
    const rest = skipper.skip(text);
    return rest.length > 0 ? reader.onText(rest) : undefined;
  }, textChunk);
  let bytes = 0;
  let crc = 0;
  const onBytes = (chunk: Buffer): Promise<void> | void => {
    const seenBytes = Math.max(0, Math.min(chunk.length, seen.count - bytes));
    crc = crc32(chunk.subarray(0, seenBytes), crc);
    bytes += chunk.length;
    if (seenBytes > 0 && bytes >= seen.count && crc !== seen.crc) throw createReplacedError(path);
    const rest = chunk.subarray(seenBytes);
    return rest.length > 0 ? reader.onBytes(rest) : undefined;
  };
  await readWith(pass, path, onBytes, read, signal);
  // The bytes were the same.
  if (skipper.hasDiffered()) throw new Error(`${path}: the inflate kernel and zlib give different text`);
}

function createReplacedError(path: string): TickhaulError {
  return new TickhaulError('changed', `${path}: replaced while it was read; run the same command again`);
}

interface TextSkipper {
  /** Returns what follows the passed text in a chunk; nothing once the text has differed. */
  skip(text: Buffer): Buffer;
  hasDiffered(): boolean;
}

function createTextSkipper({ bytes, uncheckedBytes, uncheckedCrc }: PassedText): TextSkipper {
  const uncheckedStart = bytes - uncheckedBytes;
  let at = 0;
  let crc = 0;
  let hasDiffered = false;
  return {
    skip(text) {
      if (at < bytes) crc = crc32(text.subarray(Math.max(0, uncheckedStart - at), bytes - at), crc);
      const skipped = Math.min(text.length, bytes - at);
      at += skipped;
      hasDiffered ||= skipped > 0 && at === bytes && crc !== uncheckedCrc;
      return text.subarray(hasDiffered ? text.length : skipped);
    },
    hasDiffered: () => hasDiffered,
  };
}

/**
 * How a thread inflates while others of the same run work, as in `GzipReadOptions`: itself if they use all
 * processors, otherwise with zlib's threads, which use the others.
 * @param busyThreads threads that work, this one included.
 */
export function chooseInflateThreads(busyThreads: number): 0 | undefined {
  return busyThreads >= availableParallelism() ? 0 : undefined;
}
