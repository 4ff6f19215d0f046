import { addAbortSignal, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { abortReason, isSystemError, TickhaulError, usageError } from '../base/errors.js';
import { readNamedFile } from '../base/named-file.js';
import { assertLocalPath } from './arguments/read-arguments.js';

/** Bytes: longer than any key, config file or list that a person writes or a run leaves. */
export const MAX_TEXT_BYTES = { key: 64 * 1024, config: 4 * 1024 * 1024, list: 1024 * 1024 * 1024 } as const;

/**
 * The text of a file that the user named.
 * @param name what an error begins with, as `--frozen`. @param what the file is, as `the lock file`.
 * @throws usage error where it can't be read or is longer than such a file ever is; the reason of the abort.
 */
export async function readUserFile(
  { name, what, path }: { readonly name: string; readonly what: string; readonly path: string },
  limit: number,
  signal: AbortSignal,
): Promise<string> {
  assertLocalPath(name, path);
  try {
    return (await readNamedFile({ name, path, maxBytes: limit, signal }))
      .toString('utf8')
      .replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof TickhaulError || !isSystemError(error)) throw error;
    throw usageError(`${name}: cannot read ${what} "${path}" (${error.code})`);
  }
}

/**
 * All that comes from stdin.
 * @param name what an error begins with, as `--from-file`.
 * @throws usage error where there is no stdin to read from; the reason of the abort.
 */
export async function readStdin(
  stdin: Readable | undefined,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  if (!stdin) throw usageError(`${name}: "-" is stdin, which is not read here; name a file`);
  try {
    return await text(addAbortSignal(signal, stdin));
  } catch (error) {
    throw signal.aborted ? abortReason(signal) : error;
  }
}
