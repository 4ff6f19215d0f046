import { LARGE_TEXT_CHUNK_BYTES, startGunzip, type TextSink } from './gunzip.js';
import { type ReadChunks, readChunks } from './read-chunks.js';

/** Receives the bytes and the text of a gzip file. */
export interface GzipReader {
  /** Receives compressed bytes. The chunk is overwritten afterwards. */
  readonly onBytes: (chunk: Buffer) => void;
  /** The chunk stays valid until the returned promise resolves. */
  readonly onText: TextSink;
}

/** Options for reading many gzip files at the same time. */
export interface GzipReadOptions {
  /** Reads the file's bytes. */
  readonly read: ReadChunks;
  /** Maximum size of a text chunk. */
  readonly textChunk: number;
}

const LARGE_CHUNKS: GzipReadOptions = { read: readChunks, textChunk: LARGE_TEXT_CHUNK_BYTES };

/**
 * Reads a whole gzip file.
 * @throws TickhaulError `corrupt` if it is not a complete gzip file, `disk`; the abort reason; what the
 * reader throws.
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
        // Decompression runs in zlib's thread while this thread processes the compressed bytes.
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
