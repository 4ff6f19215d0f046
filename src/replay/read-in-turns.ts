import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, stat } from 'node:fs/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { abortReason, diskError, TickhaulError } from '../base/errors.js';
import { openRegular } from '../base/open-regular.js';
import type { ReadChunks } from '../integrity/read-chunks.js';
import type { Files } from '../store/files.js';
import { isObject } from '../store/location.js';

/** How many files are open at once, whatever the number of those that are read; of a store, how many are asked of it. */
export type OpenFiles = LimitFunction;

export function limitOpenFiles(most: number): OpenFiles {
  return pLimit(most);
}

/** A store takes its time for each answer, so more comes with one: two such pieces of an object are at hand. */
const OBJECT_CHUNKS = 4;

/**
 * Reads many files side by side with few handles: a file is opened anew for each chunk, and closed behind it. An object
 * comes in ranges, each asked for while the one before is used: a connection that had to wait for its reader would break.
 * @param chunk bytes of a file that are read at once; each file has a buffer of so many, an object eight times as much.
 */
export function readInTurns(open: OpenFiles, chunk: number, files: Files): ReadChunks {
  return (location, use, signal) =>
    isObject(location)
      ? readObject({ open, chunk: OBJECT_CHUNKS * chunk, files }, location, use, signal)
      : readFile(open, chunk, location, use, signal);
}

type Read = Parameters<ReadChunks>;

async function readFile(
  open: OpenFiles,
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
      const bytesRead = await open(() => readOn(reading, buffer));
      if (bytesRead === 0) return;
      const bytes = buffer.subarray(0, bytesRead);
      reading.position += bytesRead;
      reading.hash.update(bytes);
      await use(bytes);
    }
  } catch (error) {
    throw diskError(error, path);
  }
}

/** How far a file was read. */
interface Reading {
  readonly path: string;
  ino: number;
  /** Bytes that were read, and their hash. */
  position: number;
  readonly hash: Hash;
}

/**
 * Reads the next bytes of a file. Another file of that name will do if it begins with all that was read: what is read in
 * the end is that one, from its first byte to its last.
 * @param buffer is written over. @throws TickhaulError `changed`.
 */
async function readOn(reading: Reading, buffer: Buffer): Promise<number> {
  const { path, position, hash } = reading;
  const handle = await openRegular(path);
  try {
    const { ino } = await handle.stat();
    if (ino !== reading.ino && !(await beginsWith(handle, position, hash.copy().digest(), buffer))) {
      throw new TickhaulError(
        'changed',
        `${path}: it was replaced while it was read; run the same command again`,
      );
    }
    reading.ino = ino;
    return (await handle.read(buffer, 0, buffer.length, position)).bytesRead;
  } finally {
    await handle.close();
  }
}

/** @param length bytes of the beginning. @param sha256 theirs. @param buffer is written over. */
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

interface Ranges {
  readonly open: OpenFiles;
  readonly chunk: number;
  readonly files: Files;
}

async function readObject(
  { open, chunk, files }: Ranges,
  location: string,
  use: Read[1],
  signal: Read[2],
): Promise<void> {
  // What was asked for ahead is of no use to a reader that has enough.
  const left = new AbortController();
  const anyOf = signal ? AbortSignal.any([signal, left.signal]) : left.signal;
  const object = await open(() => files.openRandom(location, anyOf));
  const read = (position: number): Promise<Buffer> | undefined => {
    if (position >= object.bytes) return undefined;
    const coming = open(() => object.read(position, Math.min(chunk, object.bytes - position)));
    // It is told when it is its turn, if ever.
    coming.catch(() => {});
    return coming;
  };
  try {
    let position = 0;
    for (let coming = read(0); coming; ) {
      const bytes = await coming;
      position += bytes.length;
      coming = read(position);
      await use(bytes);
    }
  } finally {
    left.abort();
    await object.close();
  }
}
