import type { FileHandle } from 'node:fs/promises';
import { Socket } from 'node:net';
import { abortReason, usageError } from './errors.js';
import { openAtOnce } from './open-regular.js';
import { formatSize } from './units.js';
import { onAbort } from './wait.js';

const CHUNK = 64 * 1024;

export interface NamedFile {
  /** What an error names: a flag, a variable. */
  readonly name: string;
  readonly path: string;
  /** Bytes that it may have. */
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Reads a file that a user named: it may be a pipe that nobody ever writes to, or a device without an end. A plain
 * `openKernel` of the first blocks a thread that no signal ends.
 * @throws usage error for one past the limit; the reason of the abort; system errors as they are.
 */
export async function readNamedFile(file: NamedFile): Promise<Buffer> {
  const handle = await openAtOnce(file.path);
  try {
    const found = await handle.stat();
    return await (found.isFIFO() || found.isSocket() ? readPipe(handle, file) : readHandle(handle, file));
  } finally {
    // A socket on the same descriptor may have closed it.
    await handle.close().catch(() => {});
  }
}

async function readHandle(handle: FileHandle, file: NamedFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let length = 0; ; ) {
    if (file.signal?.aborted) throw abortReason(file.signal);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, null);
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
    if (length > file.limit) throw tooLarge(file);
  }
}

/** By the event loop, which waits for a writer without holding a thread. */
function readPipe(handle: FileHandle, file: NamedFile): Promise<Buffer> {
  const { signal } = file;
  return new Promise((resolve, reject) => {
    const socket = new Socket({ fd: handle.fd, readable: true, writable: false });
    const chunks: Buffer[] = [];
    let length = 0;
    const leave = signal && onAbort(signal, () => void socket.destroy(abortReason(signal)));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > file.limit) socket.destroy(tooLarge(file));
    });
    socket.on('error', reject);
    socket.on('close', (failed) => {
      leave?.();
      if (!failed) resolve(Buffer.concat(chunks));
    });
  });
}

function tooLarge({ name, path, limit }: NamedFile): Error {
  return usageError(`${name}: "${path}" has more than ${formatSize(limit)}: is it the right file?`);
}
