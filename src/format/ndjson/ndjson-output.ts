import type { ByteSink } from '../byte-sink.js';
import type { Compress } from '../compression/compress.js';

export interface NdjsonOutput {
  /** Compresses and writes whole lines; when it resolves, `lines` may be written over. Calls must not overlap. */
  write(lines: Uint8Array): Promise<void>;
  /** Call it once, after the last write. Gives the bytes that went to the sink. */
  finish(): Promise<{ bytes: number }>;
}

/**
 * NDJSON's way to a sink. Each write makes a gzip member or a zstd frame of its own, and a file is one after the
 * other: whole as RFC 1952 (section 2.2) and RFC 8878 (section 3.1) have it, and cut at lines, so that chunks
 * may be compressed in any thread. A file of no rows is one empty member or frame, and nothing when plain.
 *
 * zstd, gzip, DuckDB, and Node's gunzip read all of it. The zstd of Node 22 and 24 ends after the first frame
 * without a word: https://github.com/nodejs/node/issues/64741.
 *
 * Throws what the sink throws.
 */
export function createNdjsonOutput(sink: ByteSink, compress: Compress): NdjsonOutput {
  let length = 0;

  const send = async (lines: Uint8Array): Promise<void> => {
    const bytes = compress(lines, 'fast');
    if (bytes.length === 0) return;
    await sink.write(bytes);
    length += bytes.length;
  };

  return {
    async write(lines) {
      if (lines.length > 0) await send(lines);
    },
    async finish() {
      if (length === 0) await send(new Uint8Array());
      return { bytes: length };
    },
  };
}
