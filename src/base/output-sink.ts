import { close, constants, fstat, open, type Stats, write, writeSync } from 'node:fs';
import { readlink, realpath, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { platform } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { writeWhole } from './disk-files.js';
import { isSystemError, TickhaulError, toDiskError, usageError } from './errors.js';
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

/** What an output option leads to, which decides how it is written. */
export type OutputTarget =
  /** A regular or missing file: written next to `path`, which is the end of all links, and renamed. */
  | { readonly kind: 'file'; readonly name: string; readonly path: string }
  /** A character device: opened and written to, never replaced. */
  | { readonly kind: 'device'; readonly name: string }
  /** A named pipe. Once it has a reader, it is written to like a device. */
  | { readonly kind: 'pipe'; readonly name: string }
  /** A descriptor inherited by this process: written to, whatever it refers to. */
  | { readonly kind: 'descriptor'; readonly name: string; readonly fd: number };

/** Longest chain of symbolic links that is followed; the limit of Linux. */
const MAX_LINKS = 40;
/** A name that only a folder can have: `.`, `..`, or one that ends with a slash. */
const FOLDER_NAME = /(?:^|[/\\])\.{0,2}$/;
const DESCRIPTOR = /^\/(?:dev\/(?:(stdout|stderr)|fd\/(\d+))|proc\/self\/fd\/(\d+))$/;

/**
 * Determines what an output option names. Follows symbolic links, the last of which may name a missing file.
 * @param option begins the error messages, such as `--out`. @param name as the user wrote it; `-` is stdout.
 * @throws usage error for a folder, a block device or a socket; `disk`, `path_taken`.
 */
export async function resolveOutput(option: string, name: string): Promise<OutputTarget> {
  const refuse = (what: string): TickhaulError =>
    usageError(`${option}: "${name}" is ${what}; specify a file`);
  if (name === '-') return { kind: 'descriptor', name, fd: 1 };
  if (FOLDER_NAME.test(name)) throw refuse('a folder');
  try {
    const resolved = await followLinks(name);
    if (typeof resolved === 'number') return { kind: 'descriptor', name, fd: resolved };
    const stats = await stat(name).catch(ignoreMissing);
    if (!stats || stats.isFile()) return { kind: 'file', name, path: resolved };
    if (stats.isFIFO()) return { kind: 'pipe', name };
    if (stats.isCharacterDevice()) return { kind: 'device', name };
    throw refuse(stats.isDirectory() ? 'a folder' : stats.isSocket() ? 'a socket' : 'a block device');
  } catch (error) {
    throw toDiskError(error, name);
  }
}

/** The descriptor that the path itself names, such as /dev/stdout. Follows no links. */
export function namedDescriptor(path: string): number | undefined {
  const [match, stream, ...numbers] = DESCRIPTOR.exec(path) ?? [];
  if (match === undefined) return undefined;
  if (stream !== undefined) return stream === 'stdout' ? 1 : 2;
  return Number(numbers.find((number) => number !== undefined));
}

/**
 * Follows links to their end, but stops at the first file descriptor, because a descriptor's link would resolve to
 * its file.
 */
async function followLinks(path: string): Promise<string | number> {
  const ownDescriptors = await realpath('/proc/self/fd').catch(() => undefined);
  let at = resolve(path);
  for (let links = 0; links <= MAX_LINKS; links++) {
    const named = namedDescriptor(at);
    if (named !== undefined) return named;
    const folder = await realpath(dirname(at)).catch(ignoreMissing);
    // Parent folders are created when the file is written.
    if (folder === undefined) return links === 0 ? path : at;
    const resolved = join(folder, basename(at));
    const fd = folder === ownDescriptors ? Number(basename(at)) : namedDescriptor(resolved);
    if (fd !== undefined) return fd;
    const target = await readlink(resolved).catch(ignoreNotLink);
    // Errors show the path as the user wrote it.
    if (target === undefined) return links === 0 ? path : resolved;
    at = resolve(folder, target);
  }
  throw new TickhaulError('path_taken', `${path}: its symbolic links form a circle; remove one of them`);
}

function ignoreMissing(error: unknown): undefined {
  if (isSystemError(error) && error.code === 'ENOENT') return undefined;
  throw error;
}

function ignoreNotLink(error: unknown): undefined {
  if (isSystemError(error) && error.code === 'EINVAL') return undefined;
  return ignoreMissing(error);
}

/**
 * The target of a flag that names a local output file; `-` is stdout. Undefined if the flag is absent.
 * @throws usage error for a folder, a block device or a socket; `disk`, `path_taken`.
 */
export async function findOutput(flag: string, path: string | undefined): Promise<OutputTarget | undefined> {
  return path === undefined ? undefined : resolveOutput(`--${flag}`, path);
}

/** The target of `--html`. @throws as `findOutput` does; usage error if `--json` prints to the same stdout. */
export async function findPageFile({
  html,
  json,
}: {
  readonly html?: string | undefined;
  readonly json: boolean;
}): Promise<OutputTarget | undefined> {
  const target = await findOutput('html', html);
  if (isStdout(target) && json)
    throw usageError('--html - and --json both print to stdout; use only one of them');
  return target;
}

/** Whether an output is the stdout of this process. */
export function isStdout(target: OutputTarget | undefined): boolean {
  return target?.kind === 'descriptor' && target.fd === 1;
}
