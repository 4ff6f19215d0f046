import { TickhaulError } from '../../base/errors.js';
import { inferDataType, parseHeaderNames } from '../../format/csv/csv-header.js';
import { gunzipStart } from '../../gzip/gunzip.js';
import type { Files } from '../../store/files.js';

/** Enough compressed bytes for any header. */
const HEADER_READ_BYTES = 16 * 1024;

/**
 * Reads the column names of a day file; undefined for a file without a header.
 * @throws TickhaulError `corrupt` for a damaged gzip stream; `disk`, errors of the store.
 */
export async function readHeaderNames(
  files: Files,
  path: string,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const bytes = await readFirstBytes(files, path, signal);
  const text = inflate(bytes, path);
  return text.includes('\n') ? parseHeaderNames(text) : undefined;
}

async function readFirstBytes(files: Files, path: string, signal: AbortSignal): Promise<Buffer> {
  const file = await files.openRandom(path, signal);
  return file.read(0, Math.min(HEADER_READ_BYTES, file.bytes)).finally(() => file.close());
}

function inflate(bytes: Buffer, path: string): Buffer {
  try {
    return bytes.length === 0 ? bytes : gunzipStart(bytes);
  } catch (cause) {
    if (!(cause instanceof TickhaulError)) throw cause;
    throw new TickhaulError('corrupt', `${path}: ${cause.message}`, { cause });
  }
}

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
    const names = await readHeaderNames(files, path, signal);
    return names && inferDataType(names);
  } catch {
    return undefined;
  }
}
