import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Socket } from 'node:net';
import { openAtOnce } from './disk-files.js';
import { abortReason, usageError } from './errors.js';
import { formatSize } from './units.js';
import { onAbort } from './wait.js';

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
export async function readNamedFile(file: NamedFile): Promise<Buffer> {
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
