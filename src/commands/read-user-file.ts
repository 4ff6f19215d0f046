import type { Stats } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { abortReason, isSystemError, TickhaulError, usageError } from '../base/errors.js';
import { readNamedFile } from '../base/named-file.js';
import { assertLocalPath } from './arguments/read-arguments.js';

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
    return (await readNamedFile({ name, path, maxBytes: limit, signal, check }))
      .toString('utf8')
      .replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof TickhaulError || !isSystemError(error)) throw error;
    throw usageError(`${name}: cannot read ${what} "${path}" (${error.code})`);
  }
}

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
    return await text(addAbortSignal(signal, stdin));
  } catch (error) {
    throw signal.aborted ? abortReason(signal) : error;
  }
}
