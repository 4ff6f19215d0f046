import { constants, gunzipSync } from 'node:zlib';
import { dataTypeOf, Head, headerNames } from '../../format/csv/head.js';
import type { Files } from '../../store/files.js';

/** Compressed bytes that hold any header. */
const HEAD_BYTES = 16 * 1024;

/**
 * The data type that a file's header tells; undefined where it tells none, or can't be read: whoever converts the file
 * says what is wrong.
 */
export async function innerTypeOf(
  files: Files,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const header = new Head().push(
      gunzipSync(await firstBytes(files, path, signal), { finishFlush: constants.Z_SYNC_FLUSH }),
    );
    return header && dataTypeOf(headerNames(header));
  } catch {
    return undefined;
  }
}

async function firstBytes(files: Files, path: string, signal: AbortSignal): Promise<Buffer> {
  const file = await files.openRandom(path, signal);
  return file.read(0, Math.min(HEAD_BYTES, file.bytes)).finally(() => file.close());
}
