import { ReaderGone } from '../base/output-sink.js';
import { type Compression, loadCompressor } from '../format/compression/compressor.js';
import type { LineSink } from '../market/lines/line-sink.js';
import type { PartFile } from '../store/files.js';

/**
 * Lets lines be written to a file, which has its name when `work` is done, and is not there when that throws.
 * Compressed by the end of the name: each write is a gzip member or a zstd frame.
 * @param name as the user wrote it.
 * @throws TickhaulError `disk`, `path_taken`, and what `work` throws.
 */
export async function toFile(
  file: PartFile,
  name: string,
  work: (output: LineSink) => Promise<void>,
): Promise<void> {
  let isEmpty = true;
  try {
    const compression = compressionOf(name);
    const compress = await loadCompressor(compression);
    const write = async (bytes: Uint8Array): Promise<void> => {
      isEmpty = false;
      try {
        await file.write(compress(bytes, 'fast'));
      } catch (error) {
        // How many lines a part of compressed bytes holds is not known.
        throw error instanceof ReaderGone && compression !== 'none' ? new ReaderGone(0) : error;
      }
    };
    await work({ write });
    if (isEmpty) await write(new Uint8Array());
    await file.publish();
  } finally {
    await file.discard();
  }
}

/** The compression that a name asks for by its end. */
export function compressionOf(name: string): Compression {
  return name.endsWith('.gz') ? 'gzip' : name.endsWith('.zst') ? 'zstd' : 'none';
}
