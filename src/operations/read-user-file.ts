import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { openAtOnce } from '../base/disk-files.js';
import { abortReason, isSystemError, TickhaulError, usageError } from '../base/errors.js';
import { formatSize } from '../base/units.js';
import { onAbort } from '../base/wait.js';
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

const CHUNK_BYTES = 64 * 1024;

export interface NamedFile {
  /** The flag or variable that names the file, for errors. */
  readonly name: string;
  readonly path: string;
  /** Maximum size in bytes. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
  /** Receives the facts of the opened file before it is read; throws to refuse it. */
  readonly check?: ((stats: Stats) => void) | undefined;
}

/**
 * Reads a file that the user named. It may be a pipe without a writer or an endless device; a plain `open` of
 * that would block a thread that no signal can end.
 * @throws usage error if the file is larger than the limit; the abort reason; system errors unchanged.
 */
async function readNamedFile(file: NamedFile): Promise<Buffer> {
  const handle = await openAtOnce(file.path);
  try {
    const stats = await handle.stat();
    file.check?.(stats);
    return await (stats.isFIFO() || stats.isSocket() ? readPipe(handle, file) : readHandle(handle, file));
  } finally {
    // A socket on the same descriptor may have closed it.
    await handle.close().catch(() => {});
  }
}

async function readHandle(handle: FileHandle, file: NamedFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let length = 0; ; ) {
    if (file.signal?.aborted) throw abortReason(file.signal);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
    if (length > file.maxBytes) throw tooLarge(file);
  }
}

/** Reads through the event loop, which waits for a writer without blocking a thread. */
function readPipe(handle: FileHandle, file: NamedFile): Promise<Buffer> {
  const { signal } = file;
  return new Promise((resolve, reject) => {
    const socket = new Socket({ fd: handle.fd, readable: true, writable: false });
    const chunks: Buffer[] = [];
    let length = 0;
    const removeListener = signal && onAbort(signal, () => void socket.destroy(abortReason(signal)));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > file.maxBytes) socket.destroy(tooLarge(file));
    });
    socket.on('error', reject);
    socket.on('close', (failed) => {
      removeListener?.();
      if (!failed) resolve(Buffer.concat(chunks));
    });
  });
}

function tooLarge({ name, path, maxBytes }: NamedFile): Error {
  return usageError(
    `${name}: "${path}" is larger than ${formatSize(maxBytes)}; check that it is the right file`,
  );
}
