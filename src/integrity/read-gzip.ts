import { LARGE_TEXT_CHUNK_BYTES, startGunzip, type TextSink } from './gunzip.js';
import { type ReadChunks, readChunks } from './read-chunks.js';

/** What is told of a gzip file, from its first byte to its last. */
export interface GzipReader {
  /** Compressed bytes. The chunk is overwritten after. */
  readonly onBytes: (chunk: Buffer) => void;
  /** A chunk is good until the promise resolves. */
  readonly onText: TextSink;
}

/** How a gzip file is read where it isn't one of few, in large chunks. */
export interface GzipReadOptions {
  /** How the file's bytes are read. */
  readonly read: ReadChunks;
  /** Bytes of text that come at once, at most. */
  readonly textChunk: number;
}

const LARGE_CHUNKS: GzipReadOptions = { read: readChunks, textChunk: LARGE_TEXT_CHUNK_BYTES };

/**
 * Reads a whole gzip file.
 * @throws TickhaulError `createCorruptError` where it is no whole gzip file, `disk`, the reason of an abort, and what the reader
 * throws.
 */
export async function readGzip(
  path: string,
  reader: GzipReader,
  signal?: AbortSignal,
  { read, textChunk }: GzipReadOptions = LARGE_CHUNKS,
): Promise<void> {
  const pass = startGunzip(reader.onText, textChunk);
  try {
    await read(
      path,
      async (chunk) => {
        // The decompressor works in a thread of its own while this one takes the compressed bytes.
        const used = pass.write(chunk);
        reader.onBytes(chunk);
        await used;
      },
      signal,
    );
    await pass.finish();
  } finally {
    await pass.destroy();
  }
}
