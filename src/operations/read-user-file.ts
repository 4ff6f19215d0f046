import type { Stats } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { abortReason, isSystemError, TickhaulError, usageError } from '../base/errors.js';
import { readNamedFile } from '../base/named-file.js';
import { assertLocalPath } from '../options/option-types.js';

/** Limits in bytes, above the size of any real key, config file or list. */
export const MAX_TEXT_BYTES = { key: 64 * 1024, config: 1024 * 1024, list: 1024 * 1024 * 1024 } as const;

/**
 * Reads a text file that the user named.
 * @param name prefix of the error message, such as `--frozen`. @param what description of the file, such as `the lock file`.
 * @param check receives the facts of the opened file before it is read; throws to refuse it.
 * @throws usage error if it cannot be read or exceeds the limit; the reason of the abort.
 */
export async function readUserFile(
  { name, what, path }: { readonly name: string; readonly what: string; readonly path: string },
  limit: number,
  signal: AbortSignal,
  check?: (stats: Stats) => void,
): Promise<string> {
  assertLocalPath(name, path);
  try {
    return decodeText(
      await readNamedFile({ name, path, maxBytes: limit, signal, check }),
      `${name}: "${path}"`,
    );
  } catch (error) {
    if (error instanceof TickhaulError || !isSystemError(error)) throw error;
    throw usageError(`${name}: cannot read ${what} "${path}" (${error.code})`);
  }
}

/**
 * Decodes a text as its byte order mark says, and removes the mark; without one, as UTF-8. Windows programs write such
 * files: PowerShell's `>` writes UTF-16.
 * @param name prefix of the error message. @throws usage error for UTF-32, and for bytes that are no text.
 */
export function decodeText(bytes: Buffer, name: string): string {
  if (bytes.length >= 4 && (bytes.readUInt32LE(0) === BOM_UTF32 || bytes.readUInt32BE(0) === BOM_UTF32))
    throw usageError(`${name}: is in UTF-32; save it as UTF-8`);
  const mark = bytes.length >= 2 ? bytes.readUInt16LE(0) : 0;
  // An incomplete last character is replaced.
  const text = new TextDecoder(mark === 0xfeff ? 'utf-16le' : mark === 0xfffe ? 'utf-16be' : 'utf-8').decode(
    bytes,
  );
  if (text.includes('\0')) {
    throw usageError(`${name}: is no text in UTF-8, nor in UTF-16 with a byte order mark; save it as UTF-8`);
  }
  return text;
}

/** The byte order mark as a number. */
const BOM_UTF32 = 0xfeff;

/**
 * Reads stdin to its end.
 * @param name prefix of the error message, such as `--from-file`.
 * @throws usage error if there is no stdin to read; the reason of the abort.
 */
export async function readStdin(
  stdin: Readable | undefined,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  if (!stdin) throw usageError(`${name}: "-" is stdin, which is not read here; specify a file`);
  try {
    return decodeText(await buffer(addAbortSignal(signal, stdin)), `${name}: stdin`);
  } catch (error) {
    throw signal.aborted ? abortReason(signal) : error;
  }
}
