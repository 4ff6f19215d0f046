import { ReaderClosedError } from '../base/output-sink.js';
import { type Compression, loadCompressor } from '../format/compressor.js';
import type { LineSink } from '../market/lines/line-buffer.js';
import type { PartFile } from '../store/files.js';

/**
 * Writes lines to a file. The file gets its name when `work` resolves; it is discarded if `work` throws. The
 * file name's ending selects the compression; each write becomes one gzip member or one zstd frame.
 * @param name as the user wrote it.
 * @throws TickhaulError `disk`, `path_taken`, and what `work` throws.
 */
export async function writeLinesToFile(
  file: PartFile,
  name: string,
  work: (output: LineSink) => Promise<void>,
): Promise<void> {
  let isEmpty = true;
  try {
    const compression = compressionFromName(name);
    const compress = await loadCompressor(compression);
    const write = async (bytes: Uint8Array): Promise<void> => {
      isEmpty = false;
      try {
        await file.write(compress(bytes, 'fast'));
      } catch (error) {
        // The number of lines in partly written compressed bytes is unknown, so none is counted.
        throw error instanceof ReaderClosedError && compression !== 'none' ? new ReaderClosedError(0) : error;
      }
    };
    await work({ write });
    if (isEmpty) await write(new Uint8Array());
    await file.publish();
  } finally {
    await file.discard();
  }
}

/** The compression that the ending of a file name selects. */
export function compressionFromName(name: string): Compression {
  return name.endsWith('.gz') ? 'gzip' : name.endsWith('.zst') ? 'zstd' : 'none';
}
