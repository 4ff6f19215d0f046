import { inferDataType } from '../../format/csv/header-buffer.js';
import type { Files } from '../../store/files.js';
import { readHeaderNames } from './read-header-names.js';

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
