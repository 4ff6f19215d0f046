import { open } from 'node:fs/promises';
import { constants, gunzipSync } from 'node:zlib';
import { dataTypeOf, Head, headerNames } from '../../format/csv/head.js';

/** Compressed bytes that hold any header. */
const HEAD_BYTES = 16 * 1024;

/**
 * The data type that a file's header tells; undefined where it tells none, or can't be read: whoever converts the file
 * says what is wrong.
 */
export async function innerTypeOf(path: string): Promise<string | undefined> {
  try {
    const header = new Head().push(
      gunzipSync(await firstBytes(path), { finishFlush: constants.Z_SYNC_FLUSH }),
    );
    return header && dataTypeOf(headerNames(header));
  } catch {
    return undefined;
  }
}

async function firstBytes(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await handle.read(bytes, 0, HEAD_BYTES, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
