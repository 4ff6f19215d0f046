import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, stat } from 'node:fs/promises';
import { openRegular, type ReadChunks } from '../base/disk-files.js';
import { abortReason, TickhaulError, toDiskError } from '../base/errors.js';
import type { Semaphore } from '../base/semaphore.js';
import type { Files } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';

/**
 * Multiple of the chunk size that one range request reads: each request to a store has a high latency. Two
 * such ranges of an object are in memory.
 */
const OBJECT_CHUNK_FACTOR = 4;

/**
 * Reads many files in parallel with few handles: a file is opened for each chunk and closed after it. An
 * object is read in ranges, and each range is requested while the previous one is used: an open response
 * would time out while its reader is busy.
 * @param open limits open files, or requests in flight to an object store.
 * @param chunk bytes of a file that are read at a time, which is the size of its buffer; an object uses eight
 * times as much.
 */
export function createChunkReader(open: Semaphore, chunk: number, files: Files): ReadChunks {
  return (location, use, signal) =>
    isObjectLocation(location)
      ? readObject({ open, chunk: OBJECT_CHUNK_FACTOR * chunk, files }, location, use, signal)
      : readFile(open, chunk, location, use, signal);
}

type Read = Parameters<ReadChunks>;

async function readFile(
  open: Semaphore,
  chunk: number,
  path: string,
  use: Read[1],
  signal: Read[2],
): Promise<void> {
  try {
    const { ino, size } = await stat(path);
    const buffer = Buffer.allocUnsafe(Math.min(chunk, size + 1));
    const reading: Reading = { path, ino, position: 0, hash: createHash('sha256') };
    for (;;) {
      if (signal?.aborted) throw abortReason(signal);
      const bytesRead = await open.run(() => readNext(reading, buffer));
      if (bytesRead === 0) return;
      const bytes = buffer.subarray(0, bytesRead);
      reading.position += bytesRead;
      reading.hash.update(bytes);
      await use(bytes);
    }
  } catch (error) {
    throw toDiskError(error, path);
  }
}

/** Reading position of a file. */
interface Reading {
  readonly path: string;
  ino: number;
  /** Bytes read so far, and their hash below. */
  position: number;
  readonly hash: Hash;
}

/**
 * Reads the next bytes of a file. A file that replaces it during the reading is accepted if it begins with
 * all bytes read so far: then the bytes read are those of the new file from its start.
 * @param buffer is overwritten.
 * @throws TickhaulError `changed`.
 */
async function readNext(reading: Reading, buffer: Buffer): Promise<number> {
  const { path, position, hash } = reading;
  const handle = await openRegular(path);
  try {
    const { ino } = await handle.stat();
    if (ino !== reading.ino && !(await beginsWith(handle, position, hash.copy().digest(), buffer))) {
      throw new TickhaulError('changed', `${path}: replaced during the run; run the same command again`);
    }
    reading.ino = ino;
    return (await handle.read(buffer, 0, buffer.length, position)).bytesRead;
  } finally {
    await handle.close();
  }
}

/**
 * @param length size of the prefix in bytes. @param sha256 hash of the prefix. @param buffer is overwritten.
 */
async function beginsWith(
  handle: FileHandle,
  length: number,
  sha256: Buffer,
  buffer: Buffer,
): Promise<boolean> {
  const hash = createHash('sha256');
  for (let at = 0; at < length; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, length - at), at);
    if (bytesRead === 0) return false;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest().equals(sha256);
}

interface RangeReadContext {
  readonly open: Semaphore;
  readonly chunk: number;
  readonly files: Files;
}

async function readObject(
  { open, chunk, files }: RangeReadContext,
  location: string,
  use: Read[1],
  signal: Read[2],
): Promise<void> {
  // Aborted when the reader stops, to cancel the range requested ahead.
  const stopped = new AbortController();
  const anyOf = signal ? AbortSignal.any([signal, stopped.signal]) : stopped.signal;
  const object = await open.run(() => files.openRandom(location, anyOf));
  const read = (position: number): Promise<Buffer> | undefined => {
    if (position >= object.bytes) return undefined;
    const pending = open.run(() => object.read(position, Math.min(chunk, object.bytes - position)));
    // The error is thrown when this range is awaited, which may never happen.
    pending.catch(() => {});
    return pending;
  };
  try {
    let position = 0;
    for (let next = read(0); next; ) {
      const bytes = await next;
      position += bytes.length;
      next = read(position);
      await use(bytes);
    }
  } finally {
    stopped.abort();
    await object.close();
  }
}
