import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { isSystemError, TickhaulError } from '../../base/errors.js';
import { type FileError, fileError } from '../../base/file-error.js';
import type { StartCheck } from '../../format/csv/start-check.js';
import { hashFile } from '../../integrity/file-hash.js';
import { LARGE_TEXT_CHUNK } from '../../integrity/gunzip.js';
import { proveFile } from '../../integrity/proof.js';
import { proveBytes, proveBytesBriefly } from '../../integrity/prove-bytes.js';
import type { FileFacts, Files } from '../../store/files.js';
import { isObject } from '../../store/location.js';
import { readBytesAt } from '../../store/small-objects.js';
import type { Order, Seen, Sight } from '../types.js';
import { NOT_THERE, sizeError } from './facts.js';

/** Bytes up to which a file is read in one piece. */
const SMALL = 1_000_000;

/**
 * Looks at one file: a day file is gunzipped to its end, a Parquet file's footer is read, the lines of NDJSON
 * are counted. What concerns the file alone is never thrown.
 * @param onBytes told of bytes as they are read.
 * @param signal ends the reading; a thread needs none, as it is ended as a whole.
 */
export async function examine(
  order: Order,
  onBytes: (count: number) => void,
  files: Files,
  signal?: AbortSignal,
): Promise<Sight> {
  try {
    const { location, kind, listed } = order;
    // Small files of a disk take so little that a promise for each would show.
    const facts = isObject(location)
      ? (listed ?? (await files.look(location, signal)))
      : factsOnDisk(location);
    if (!facts) return { error: NOT_THERE };
    const error = sizeError(order.bytes, facts.bytes);
    if (error) return { error };
    const seen =
      kind === 'day'
        ? await seeDay(order, facts, onBytes, files, signal)
        : await seeOutput(order, facts, files, signal);
    return { seen: facts.etag === undefined ? seen : { ...seen, etag: facts.etag } };
  } catch (error) {
    return { error: sightError(error) };
  }
}

/** Looks whether a file of this machine is there and has its size. */
export function look({ location, bytes }: Order): Sight {
  try {
    const error = sizeError(bytes, factsOnDisk(location).bytes);
    return error ? { error } : {};
  } catch (error) {
    return { error: sightError(error) };
  }
}

/** @throws TickhaulError `corrupt` for what is no file. */
function factsOnDisk(path: string): FileFacts {
  const stats = statSync(path);
  if (!stats.isFile()) throw new TickhaulError('corrupt', 'is no file');
  return { bytes: stats.size };
}

async function seeDay(
  order: Order,
  { bytes }: FileFacts,
  onBytes: (count: number) => void,
  files: Files,
  signal: AbortSignal | undefined,
): Promise<Seen> {
  const { location, dataType } = order;
  const start = dataType === undefined ? undefined : await startCheck(location, dataType);
  const onText = start && ((text: Buffer): void => start.push(text));
  const small = bytes < SMALL ? await seeSmallDay(order, onText, files, signal) : undefined;
  if (small) onBytes(bytes);
  const options = { onBytes, onText, textChunk: LARGE_TEXT_CHUNK, read: files.read };
  const seen = small ?? (await proveFile(location, signal, options));
  start?.end();
  return seen;
}

/** Few runs need it. */
async function startCheck(location: string, dataType: string): Promise<StartCheck> {
  const { createStartCheck } = await import('../../format/csv/start-check.js');
  return createStartCheck(location, dataType);
}

async function seeSmallDay(
  { location, bytes: expected }: Order,
  onText: ((text: Buffer) => void) | undefined,
  files: Files,
  signal: AbortSignal | undefined,
): Promise<Seen | undefined> {
  const prove = expected === undefined ? proveBytes : proveBytesBriefly;
  // Nothing may come between the reading of a file and its proof: its bytes stand where the next one's go.
  return isObject(location)
    ? prove(await readBytesAt(files, location, signal), onText)
    : prove(readSmallFile(location), onText);
}

/** Is written over by each file of this machine. */
const room = Buffer.allocUnsafeSlow(SMALL);

function readSmallFile(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    let length = 0;
    for (let count = -1; count !== 0; length += count)
      count = readSync(file, room, length, SMALL - length, null);
    return room.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

async function seeOutput(
  { kind, location, hash }: Order,
  { bytes }: FileFacts,
  files: Files,
  signal: AbortSignal | undefined,
): Promise<Seen> {
  const { seeNdjson, seeParquet } = await import('./see-output.js');
  const seen = await (kind === 'parquet' ? seeParquet : seeNdjson)(location, files, signal);
  return {
    bytes,
    ...seen,
    ...(hash && { sha256: await hashFile(location, 'sha256', signal, files.read) }),
  };
}

function sightError(error: unknown): FileError {
  const cause = error instanceof TickhaulError ? error.cause : error;
  if (isSystemError(cause) && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')) return NOT_THERE;
  if (error instanceof TickhaulError) return fileError(error);
  if (isSystemError(error)) return { code: 'disk', message: `cannot be read (${error.code})` };
  throw error;
}
