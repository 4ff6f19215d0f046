import { crc32 } from 'node:zlib';
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
  let bytes = 0;
  const onBytes = (chunk: Buffer): Promise<void> | void => {
    bytes += chunk.length;
    return reader.onBytes(chunk);
  };
  try {
    await readWith(startPass(reader.onText, options), path, onBytes, options.read, signal);
  } catch (error) {
    if (!(error instanceof InflateRefusal)) throw error;
    await readByZlib(path, reader, signal, options, bytes, error.passed);
  }
}

function startPass(onText: TextSink, { textChunk, inflateThreads }: GzipReadOptions): GunzipPass {
  if (inflateThreads === undefined || !hasWebAssembly()) return startGunzip(onText, textChunk);
  return inflateThreads > 0 ? new TokenPass(onText, inflateThreads) : new InflatePass(onText, textChunk);
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
        await Promise.all([used, onBytes(chunk)]);
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
  seen: number,
  passed: PassedText,
): Promise<void> {
  const skipPassed = createTextSkipper(path, passed);
  const pass = startGunzip((text) => {
    const rest = skipPassed(text);
    return rest.length > 0 ? reader.onText(rest) : undefined;
  }, textChunk);
  let bytes = 0;
  const onBytes = (chunk: Buffer): Promise<void> | void => {
    const rest = chunk.subarray(Math.max(0, seen - bytes));
    bytes += chunk.length;
    return rest.length > 0 ? reader.onBytes(rest) : undefined;
  };
  await readWith(pass, path, onBytes, read, signal);
}

/** @returns a function that returns what follows the passed text in a chunk. */
function createTextSkipper(
  path: string,
  { bytes, uncheckedBytes, uncheckedCrc }: PassedText,
): (text: Buffer) => Buffer {
  const uncheckedStart = bytes - uncheckedBytes;
  let at = 0;
  let crc = 0;
  return (text) => {
    if (at >= bytes) return text;
    crc = crc32(text.subarray(Math.max(0, uncheckedStart - at), bytes - at), crc);
    at += text.length;
    if (at < bytes) return text.subarray(text.length);
    if (crc !== uncheckedCrc) throw new Error(`${path}: the inflate kernel and zlib give different text`);
    return text.subarray(text.length - (at - bytes));
  };
}
