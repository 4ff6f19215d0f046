import type { ByteSink } from '../byte-sink.js';
import type { Compress } from '../compression/compress.js';

export interface NdjsonOutput {
  /** Compresses and writes complete lines. `lines` may be reused when it resolves. Calls must not overlap. */
  write(lines: Uint8Array): Promise<void>;
  /** Call it once, after the last write. Returns the number of bytes written to the sink. */
  finish(): Promise<{ bytes: number }>;
}

/**
 * Writes NDJSON to a sink. Each write is its own gzip member or zstd frame, and a file is their concatenation
 * (RFC 1952, section 2.2; RFC 8878, section 3.1), split at lines. So batches may be compressed in any thread.
 * A file without rows is one empty member or frame, and empty without compression.
 *
 * zstd, gzip, DuckDB and Node's gunzip read all members. The zstd of Node 22 and 24 ends after the first
 * frame without an error: https://github.com/nodejs/node/issues/64741.
 *
 * @throws errors of the sink.
 */
export function createNdjsonOutput(sink: ByteSink, compress: Compress): NdjsonOutput {
  let length = 0;

  const compressAndWrite = async (lines: Uint8Array): Promise<void> => {
    const bytes = compress(lines, 'fast');
    if (bytes.length === 0) return;
    await sink.write(bytes);
    length += bytes.length;
  };

  return {
    async write(lines) {
      if (lines.length > 0) await compressAndWrite(lines);
    },
    async finish() {
      if (length === 0) await compressAndWrite(new Uint8Array());
      return { bytes: length };
    },
  };
}
