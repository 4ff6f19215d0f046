import { close, constants, fstat, open, type Stats, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { platform } from 'node:os';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { diskError, isSystemError, TickhaulError, usageError } from './errors.js';
import type { OutputTarget } from './output-target.js';
import { nextTurn, wait } from './wait.js';

/** The reader of a pipe has left, which is a normal end. */
export class ReaderGone extends Error {
  /** Bytes of the failed write that the pipe had taken before; a reader may have read less. */
  readonly bytes: number;

  constructor(bytes: number) {
    super('the reader has left');
    this.bytes = bytes;
  }
}

/** What is written to as it is: a stream, a pipe, a device. Calls must not overlap. */
export interface OutputSink {
  /** Resolves when the bytes were taken; they may be reused then. @throws ReaderGone; `disk`. */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** What opening an output needs of the process. */
export interface OutputHost {
  readonly signal: AbortSignal;
  /** The process's own stream on a descriptor: stdout on 1, stderr on 2. */
  readonly standardStream: (fd: number) => Writable | undefined;
}

/** Bytes that a pipe takes as a whole or not at all (PIPE_BUF of Linux). */
const ATOMIC_BYTES = 4096;
/** Milliseconds between two looks whether a named pipe has a reader. */
const READER_POLL_MS = 50;

const openFile = promisify(open);
const writeFile = promisify(write);
const closeFile = promisify(close);
const statFile = promisify(fstat);

/** Writes to a stream, which stays open. @param name what an error begins with. */
export function streamSink(output: Writable, name: string): OutputSink {
  return { write: writerOf(output, name), close: async () => {} };
}

function writerOf(
  output: Writable & { readonly fd?: unknown; readonly isTTY?: unknown },
  name: string,
): OutputSink['write'] {
  const { fd } = output;
  if (typeof fd !== 'number' || output.isTTY === true || platform() === 'win32')
    return (bytes) => writeStream(output, bytes, name);
  if (output instanceof Socket) return (bytes) => writePipe(output, fd, bytes, name);
  // Node's stream over a file drops what a full disk did not take of a write.
  return (bytes) => writeAll(fd, bytes, name);
}

/**
 * Opens what is no regular file. A named pipe is opened once it has a reader.
 * @throws usage error for a descriptor that is not open; `disk`; the reason of the abort.
 */
export async function openSink(
  target: Exclude<OutputTarget, { readonly kind: 'file' }>,
  { signal, standardStream }: OutputHost,
): Promise<OutputSink> {
  const { name } = target;
  try {
    if (target.kind === 'pipe') return socketSink(await openPipe(name, signal), name);
    if (target.kind === 'device') {
      const fd = await openFile(name, constants.O_WRONLY | (constants.O_NOCTTY ?? 0));
      return { write: (bytes) => writeAll(fd, bytes, name), close: () => closeFile(fd) };
    }
    const { fd } = target;
    const stream = standardStream(fd);
    if (stream) return streamSink(stream, fd === 1 ? 'stdout' : 'stderr');
    const found: Stats = await statFile(fd);
    if (found.isFIFO() || found.isSocket()) return socketSink(fd, name);
    if (!found.isFile() && !found.isCharacterDevice()) throw notOpen(name);
    return { write: (bytes) => writeAll(fd, bytes, name), close: async () => {} };
  } catch (error) {
    throw outputError(error, name, 0);
  }
}

/** Without the flag, opening would wait for the reader in a thread that no signal ends. */
async function openPipe(path: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    try {
      return await openFile(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (!isSystemError(error) || error.code !== 'ENXIO') throw error;
    }
    await wait(READER_POLL_MS, signal);
  }
}

/** By the event loop, which waits for a reader without holding a thread. */
function socketSink(fd: number, name: string): OutputSink {
  const socket = new Socket({ fd, readable: false, writable: true });
  // The write that failed rejects with it.
  socket.on('error', () => {});
  return {
    write: (bytes) => writePipe(socket, fd, bytes, name),
    close: () =>
      new Promise((resolve) => {
        if (socket.closed) resolve();
        else socket.once('close', () => resolve()).destroy();
      }),
  };
}

/**
 * Writes as much as the pipe takes at once, then waits for its reader with a piece that is taken whole or not at all: so
 * it is known how many bytes went into the pipe before its reader left.
 */
async function writePipe(output: Writable, fd: number, bytes: Uint8Array, name: string): Promise<void> {
  let taken = 0;
  let hasWaited = false;
  try {
    for (;;) {
      // Text that was written to the stream before goes first.
      if (output.writableLength === 0) taken += writeNow(fd, bytes.subarray(taken));
      if (taken === bytes.length) break;
      const piece = bytes.subarray(taken, taken + ATOMIC_BYTES);
      await writeChunk(output, piece);
      taken += piece.length;
      hasWaited = true;
    }
  } catch (error) {
    throw outputError(error, name, taken);
  }
  // A reader that keeps up must not keep signals from being seen.
  if (!hasWaited) await nextTurn();
}

/** @returns how many bytes the pipe took. */
function writeNow(fd: number, bytes: Uint8Array): number {
  try {
    return bytes.length === 0 ? 0 : writeSync(fd, bytes);
  } catch (error) {
    if (isSystemError(error) && error.code === 'EAGAIN') return 0;
    throw error;
  }
}

async function writeStream(output: Writable, bytes: Uint8Array, name: string): Promise<void> {
  try {
    await writeChunk(output, bytes);
  } catch (error) {
    throw outputError(error, name, 0);
  }
}

function writeChunk(output: Writable, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** At the descriptor's own position: a file that was opened to append to is appended to. */
async function writeAll(fd: number, bytes: Uint8Array, name: string): Promise<void> {
  let done = 0;
  try {
    while (done < bytes.length) {
      const { bytesWritten } = await writeFile(fd, bytes, done, bytes.length - done, null);
      done += bytesWritten;
    }
  } catch (error) {
    throw outputError(error, name, done);
  }
}

function outputError(error: unknown, name: string, taken: number): unknown {
  if (!isSystemError(error) || error instanceof TickhaulError) return error;
  if (error.code === 'EPIPE') return new ReaderGone(taken);
  return error.code === 'EBADF' ? notOpen(name) : diskError(error, name);
}

function notOpen(name: string): TickhaulError {
  return usageError(`${name}: no descriptor that is open for writing; name a file`);
}
