import { LARGE_TEXT_CHUNK, startGunzip, type TextSink } from './gunzip.js';
import { type ReadChunks, readChunks } from './read-chunks.js';

/** What is told of a gzip file, from its first byte to its last. */
export interface GzipReader {
  /** Compressed bytes. The chunk is overwritten after. */
  readonly onBytes: (chunk: Buffer) => void;
  /** A chunk is good until the promise resolves. */
  readonly onText: TextSink;
}

/**
 * Reads a whole gzip file.
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
  const pass = startGunzip(reader.onText, LARGE_TEXT_CHUNK);
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
    pass.destroy();
  }
}
