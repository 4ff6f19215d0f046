import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { isSystemError, TickhaulError } from '../../base/errors.js';
import { type FileError, fileError } from '../../base/file-error.js';
import { plural } from '../../base/units.js';
import { hashFile } from '../../integrity/file-hash.js';
import { LARGE_TEXT_CHUNK } from '../../integrity/gunzip.js';
import { proveFile } from '../../integrity/proof.js';
import { proveBytes, proveBytesBriefly } from '../../integrity/prove-bytes.js';
import type { Order, Seen, Sight } from '../types.js';

/** Bytes up to which a file is read in one piece. */
const SMALL = 1_000_000;

/**
 * Looks at one file: a day file is gunzipped to its end, a Parquet file's footer is read, the lines of NDJSON
 * are counted. What concerns the file alone is never thrown.
 * @param onBytes told of bytes as they are read.
 */
export async function examine(order: Order, onBytes: (count: number) => void): Promise<Sight> {
  try {
    const bytes = rightSize(order);
    return {
      seen: order.kind === 'day' ? await seeDay(order, bytes, onBytes) : await seeOutput(order, bytes),
    };
  } catch (error) {
    return { error: sightError(error) };
  }
}

/** Looks whether a file is there and has its size. */
export function look(order: Order): Sight {
  try {
    rightSize(order);
    return {};
  } catch (error) {
    return { error: sightError(error) };
  }
}

/** @throws TickhaulError `corrupt` where it isn't the expected one: no need to read the file. */
function rightSize({ path, bytes }: Order): number {
  const stats = statSync(path);
  if (!stats.isFile()) throw new TickhaulError('corrupt', 'is no file');
  if (bytes === undefined || bytes === stats.size) return stats.size;
  throw new TickhaulError('corrupt', `has ${plural(stats.size, 'byte')}, ${bytes} were recorded`);
}

async function seeDay(
  { path, bytes: expected }: Order,
  bytes: number,
  onBytes: (count: number) => void,
): Promise<Seen> {
  const seen = bytes < SMALL ? seeSmallDay(readSmall(path), expected !== undefined) : undefined;
  if (!seen) return proveFile(path, undefined, { onBytes, textChunk: LARGE_TEXT_CHUNK });
  onBytes(bytes);
  return seen;
}

function seeSmallDay(bytes: Buffer, isKnown: boolean): Seen | undefined {
  return isKnown ? proveBytesBriefly(bytes) : proveBytes(bytes);
}

/** Is written over by each file. */
const room = Buffer.allocUnsafeSlow(SMALL);

function readSmall(path: string): Buffer {
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

async function seeOutput({ kind, path, hash }: Order, bytes: number): Promise<Seen> {
  const { seeParquet, seeNdjson } = await import('./see-output.js');
  const seen = kind === 'parquet' ? await seeParquet(path) : await seeNdjson(path);
  return { bytes, ...seen, ...(hash && { sha256: await hashFile(path, 'sha256') }) };
}

function sightError(error: unknown): FileError {
  const cause = error instanceof TickhaulError ? error.cause : error;
  if (isSystemError(cause) && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')) {
    return { code: 'missing', message: 'is not there' };
  }
  if (error instanceof TickhaulError) return fileError(error);
  if (isSystemError(error)) return { code: 'disk', message: `cannot be read (${error.code})` };
  throw error;
}
