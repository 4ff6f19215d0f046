import { constants, gunzipSync } from 'node:zlib';
import { HeaderBuffer, inferDataType, parseHeaderNames } from '../../format/csv/header-buffer.js';
import type { Files } from '../../store/files.js';

/** Enough compressed bytes for any header. */
const HEADER_READ_BYTES = 16 * 1024;

/**
 * Infers the data type from a file's header. Undefined if it cannot be inferred or read: the conversion
 * reports the error later.
 */
export async function readDataTypeFromHeader(
  files: Files,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const header = new HeaderBuffer().push(
      gunzipSync(await readFirstBytes(files, path, signal), { finishFlush: constants.Z_SYNC_FLUSH }),
    );
    return header && inferDataType(parseHeaderNames(header));
  } catch {
    return undefined;
  }
}

async function readFirstBytes(files: Files, path: string, signal: AbortSignal): Promise<Buffer> {
  const file = await files.openRandom(path, signal);
  return file.read(0, Math.min(HEADER_READ_BYTES, file.bytes)).finally(() => file.close());
}
