import { openRegular } from '../base/disk-files.js';
import { abortReason, toDiskError } from '../base/errors.js';

const READ_CHUNK_BYTES = 1024 * 1024;

/** Reads a file and passes its bytes to `use` in chunks. */
export type ReadChunks = (
  path: string,
  use: (chunk: Buffer) => Promise<void>,
  signal?: AbortSignal,
) => Promise<void>;

/**
 * Reads a file in chunks. Each chunk is overwritten once the promise of `use` resolves.
 * @throws TickhaulError `disk`, and what `use` throws.
 */
export async function readChunks(
  path: string,
  use: (chunk: Buffer) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  try {
    const handle = await openRegular(path);
    try {
      const { size } = await handle.stat();
      const buffer = Buffer.allocUnsafe(Math.min(READ_CHUNK_BYTES, size + 1));
      for (;;) {
        if (signal?.aborted) throw abortReason(signal);
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
        if (bytesRead === 0) return;
        await use(buffer.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw toDiskError(error, path);
  }
}
