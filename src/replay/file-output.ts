import { type Compression, loadCompressor } from '../format/compression/compressor.js';
import type { LineSink } from '../market/lines/line-sink.js';
import type { Files } from '../store/files.js';

/**
 * Lets lines be written to a location, a file which has its name when `work` is done, and is not there when that throws.
 * Compressed by the end of the name: each write is a gzip member or a zstd frame.
 * @param signal ends the writing; without one, an ended work may still have its file.
 * @throws TickhaulError `disk`, `path_taken`, and what `work` throws.
 */
export async function toFile(
  files: Files,
  path: string,
  work: (output: LineSink) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const compress = await loadCompressor(compressionOf(path));
  const file = await files.openPart(path, undefined, signal);
  let isEmpty = true;
  const write = (bytes: Uint8Array): Promise<void> => {
    isEmpty = false;
    return file.write(compress(bytes, 'fast'));
  };
  try {
    await work({ write });
    if (isEmpty) await write(new Uint8Array());
    await file.publish();
  } finally {
    await file.discard();
  }
}

function compressionOf(path: string): Compression {
  return path.endsWith('.gz') ? 'gzip' : path.endsWith('.zst') ? 'zstd' : 'none';
}
