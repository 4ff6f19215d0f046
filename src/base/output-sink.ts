import { close, constants, fstat, open, type Stats, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { platform } from 'node:os';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { writeWhole } from './disk-files.js';
import { isSystemError, TickhaulError, toDiskError, usageError } from './errors.js';
import type { OutputTarget } from './output-target.js';
import { wait, yieldToEventLoop } from './wait.js';

/** The reader of a pipe has closed it, which is a normal end. */
export class ReaderClosedError extends Error {
  /** Bytes of the failed write that the pipe accepted; the reader may have read fewer. */
  readonly bytes: number;

  constructor(bytes: number) {
    super('the reader has left');
    this.bytes = bytes;
  }
}

/** An output written to directly: a stream, pipe or device. Calls must not overlap. */
export interface OutputSink {
  /**
   * Resolves when the bytes are written and may be reused.
   * @throws ReaderClosedError; TickhaulError `disk`.
   */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** What an output needs from the process. */
export interface OutputHost {
  readonly signal: AbortSignal;
  /** The process's stream for a descriptor: stdout for 1, stderr for 2. */
  readonly standardStream: (fd: number) => Writable | undefined;
}

/** A pipe accepts a write of up to this size whole or not at all (PIPE_BUF on Linux). */
const ATOMIC_BYTES = 4096;
/** Interval at which a named pipe is checked for a reader. */
const READER_POLL_MS = 50;

const openFile = promisify(open);
const writeFile = promisify(write);
const closeFile = promisify(close);
const statFile = promisify(fstat);

/** Writes to a stream and leaves it open. @param name begins the error messages. */
export function streamSink(output: Writable, name: string): OutputSink {
  return { write: createWriter(output, name), close: async () => {} };
}

function createWriter(
  output: Writable & { readonly fd?: unknown; readonly isTTY?: unknown },
  name: string,
): OutputSink['write'] {
  const { fd } = output;
  if (typeof fd !== 'number' || output.isTTY === true || platform() === 'win32')
    return (bytes) => writeStream(output, bytes, name);
  if (output instanceof Socket) return (bytes) => writePipe(output, fd, bytes, name);
  // Node's stream for a file loses the rest of a write that a full disk accepts only in part.
  return (bytes) => writeAll(fd, bytes, name);
}

/**
 * Opens an output that is not a regular file. Waits until a named pipe has a reader.
 * @throws usage error for a descriptor that is not open; `disk`; the abort reason.
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
    const stats: Stats = await statFile(fd);
    if (stats.isFIFO() || stats.isSocket()) return socketSink(fd, name);
    if (!stats.isFile() && !stats.isCharacterDevice()) throw notOpen(name);
    return { write: (bytes) => writeAll(fd, bytes, name), close: async () => {} };
  } catch (error) {
    throw outputError(error, name, 0);
  }
}

/** Without the flag, `open` would wait for the reader in a thread that no signal can end. */
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

/** Writes through the event loop, which waits for a reader without blocking a thread. */
function socketSink(fd: number, name: string): OutputSink {
  const socket = new Socket({ fd, readable: false, writable: true });
  // The failed write rejects with this error.
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
 * Writes as much as the pipe accepts at once, then waits for the reader with a piece that is accepted whole
 * or not at all. So the number of bytes in the pipe is known if the reader closes it.
 */
async function writePipe(output: Writable, fd: number, bytes: Uint8Array, name: string): Promise<void> {
  let written = 0;
  let hasWaited = false;
  try {
    for (;;) {
      // Data already queued in the stream must be written first.
      if (output.writableLength === 0) written += writeNow(fd, bytes.subarray(written));
      if (written === bytes.length) break;
      const piece = bytes.subarray(written, written + ATOMIC_BYTES);
      await writeChunk(output, piece);
      written += piece.length;
      hasWaited = true;
    }
  } catch (error) {
    throw outputError(error, name, written);
  }
  // A fast reader must not keep the event loop from handling signals.
  if (!hasWaited) await yieldToEventLoop();
}

/** @returns the number of bytes that the pipe accepted. */
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

/** Writes at the descriptor's current position, so a file opened for appending is appended to. */
async function writeAll(fd: number, bytes: Uint8Array, name: string): Promise<void> {
  let written = 0;
  try {
    while (written < bytes.length) {
      const { bytesWritten } = await writeFile(fd, bytes, written, bytes.length - written, null);
      written += bytesWritten;
    }
  } catch (error) {
    throw outputError(error, name, written);
  }
}

function outputError(error: unknown, name: string, written: number): unknown {
  if (!isSystemError(error) || error instanceof TickhaulError) return error;
  if (error.code === 'EPIPE') return new ReaderClosedError(written);
  return error.code === 'EBADF' ? notOpen(name) : toDiskError(error, name);
}

function notOpen(name: string): TickhaulError {
  return usageError(`${name}: is not a descriptor that is open for writing; specify a file`);
}

/** Texts are joined to blocks of at least this length before they are written. */
const MIN_BLOCK_CHARACTERS = 64 * 1024;

/**
 * Writes texts to an output that the user named. A regular file is replaced as a whole or not at all; any
 * other output is written to directly. If the reader closes a pipe, this is a normal end.
 * @throws TickhaulError `disk`, `path_taken`; usage error; the abort reason.
 */
export async function writeOutput(
  target: OutputTarget,
  texts: Iterable<string>,
  host: OutputHost,
): Promise<void> {
  if (target.kind === 'file') return writeWhole(target.path, texts);
  const sink = await openSink(target, host);
  try {
    for (const block of joinToBlocks(texts)) await sink.write(Buffer.from(block));
  } catch (error) {
    if (!(error instanceof ReaderClosedError)) throw error;
  } finally {
    await sink.close();
  }
}

function* joinToBlocks(texts: Iterable<string>): Generator<string> {
  let block = '';
  for (const text of texts) {
    block += text;
    if (block.length < MIN_BLOCK_CHARACTERS) continue;
    yield block;
    block = '';
  }
  if (block !== '') yield block;
}
