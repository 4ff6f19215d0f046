import { type Compression, loadCompressor } from '../compressor.js';
import type { ByteSink, OutputWriter } from '../output-format.js';

/**
 * Writes NDJSON to a sink. Each batch is its own gzip member or zstd frame, and a file is their concatenation
 * (RFC 1952, section 2.2; RFC 8878, section 3.1), split at lines. So batches may be compressed in any thread.
 * A file without rows is one empty member or frame, and empty without compression.
 *
 * zstd, gzip, DuckDB and Node's gunzip read all members. The zstd of Node 22 and 24 ends after the first
 * frame without an error: https://github.com/nodejs/node/issues/64741.
 *
 * @throws errors of the sink.
 */
export async function createNdjsonWriter(sink: ByteSink, compression: Compression): Promise<OutputWriter> {
  const compress = await loadCompressor(compression);
  let rows = 0;
  let length = 0;

  const write = async (bytes: Uint8Array): Promise<void> => {
    if (bytes.length === 0) return;
    await sink.write(bytes);
    length += bytes.length;
  };

  return {
    async write(encoded) {
      await write(encoded.bytes);
      rows += encoded.rows;
    },
    async finish() {
      if (length === 0) await write(compress(new Uint8Array(), 'fast'));
      return { rows, bytes: length };
    },
  };
}
