import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { isSystemError, TickhaulError } from '../../base/errors.js';
import { type FileError, toFileError } from '../../base/file-error.js';
import type { StartCheck } from '../../format/csv/start-check.js';
import { LARGE_TEXT_CHUNK_BYTES } from '../../integrity/gunzip.js';
import { hashFile } from '../../integrity/hash-file.js';
import { verifyBytes, verifyBytesWithoutMd5 } from '../../integrity/verify-bytes.js';
import { verifyFile } from '../../integrity/verify-file.js';
import type { Files, StoredFileInfo } from '../../store/files.js';
import { isObjectLocation } from '../../store/location.js';
import { readBytesAt } from '../../store/read-write-at.js';
import type { CheckRequest, CheckResult, FileObservation } from '../file-check.js';
import { createSizeError, MISSING_ERROR } from './compare-with-listing.js';

/** Bytes up to which a file is read in one piece. */
const SMALL_FILE_BYTES = 1_000_000;

/**
 * Looks at one file: a day file is gunzipped to its end, a Parquet file's footer is read, the lines of NDJSON
 * are counted. What concerns the file alone is never thrown.
 * @param onBytes told of bytes as they are read.
 * @param signal ends the reading; a thread needs none, as it is ended as a whole.
 */
export async function inspectFileBytes(
  order: CheckRequest,
  onBytes: (count: number) => void,
  files: Files,
  signal?: AbortSignal,
): Promise<CheckResult> {
  try {
    const { location, kind, listed } = order;
    // Small files of a disk take so little that a promise for each would show.
    const facts = isObjectLocation(location)
      ? (listed ?? (await files.stat(location, signal)))
      : statFile(location);
    if (!facts) return { error: MISSING_ERROR };
    const error = createSizeError(order.bytes, facts.bytes);
    if (error) return { error };
    const seen =
      kind === 'day'
        ? await inspectDayFile(order, facts, onBytes, files, signal)
        : await inspectOutput(order, facts, files, signal);
    return { observation: facts.etag === undefined ? seen : { ...seen, etag: facts.etag } };
  } catch (error) {
    return { error: toInspectError(error) };
  }
}

/** Looks whether a file of this machine is there and has its size. */
export function statExpected({ location, bytes }: CheckRequest): CheckResult {
  try {
    const error = createSizeError(bytes, statFile(location).bytes);
    return error ? { error } : {};
  } catch (error) {
    return { error: toInspectError(error) };
  }
}

/** @throws TickhaulError `createCorruptError` for what is no file. */
function statFile(path: string): StoredFileInfo {
  const stats = statSync(path);
  if (!stats.isFile()) throw new TickhaulError('corrupt', 'is no file');
  return { bytes: stats.size };
}

async function inspectDayFile(
  order: CheckRequest,
  { bytes }: StoredFileInfo,
  onBytes: (count: number) => void,
  files: Files,
  signal: AbortSignal | undefined,
): Promise<FileObservation> {
  const { location, dataType } = order;
  const start = dataType === undefined ? undefined : await loadStartCheck(location, dataType);
  const onText = start && ((text: Buffer): void => start.push(text));
  const small = bytes < SMALL_FILE_BYTES ? await inspectSmallDayFile(order, onText, files, signal) : undefined;
  if (small) onBytes(bytes);
  const options = { onBytes, onText, textChunk: LARGE_TEXT_CHUNK_BYTES, read: files.read };
  const seen = small ?? (await verifyFile(location, signal, options));
  start?.end();
  return seen;
}

/** Few runs need it. */
async function loadStartCheck(location: string, dataType: string): Promise<StartCheck> {
  const { createStartCheck } = await import('../../format/csv/start-check.js');
  return createStartCheck(location, dataType);
}

async function inspectSmallDayFile(
  { location, bytes: expected }: CheckRequest,
  onText: ((text: Buffer) => void) | undefined,
  files: Files,
  signal: AbortSignal | undefined,
): Promise<FileObservation | undefined> {
  const prove = expected === undefined ? verifyBytes : verifyBytesWithoutMd5;
  // Nothing may come between the reading of a file and its proof: its bytes stand where the next one's go.
  return isObjectLocation(location)
    ? prove(await readBytesAt(files, location, signal), onText)
    : prove(readSmallFile(location), onText);
}

/** Is written over by each file of this machine. */
const readBuffer = Buffer.allocUnsafeSlow(SMALL_FILE_BYTES);

function readSmallFile(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    let length = 0;
    for (let count = -1; count !== 0; length += count)
      count = readSync(file, readBuffer, length, SMALL_FILE_BYTES - length, null);
    return readBuffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

async function inspectOutput(
  { kind, location, hash }: CheckRequest,
  { bytes }: StoredFileInfo,
  files: Files,
  signal: AbortSignal | undefined,
): Promise<FileObservation> {
  const { readNdjsonFacts, readParquetFacts } = await import('./read-output-facts.js');
  const seen = await (kind === 'parquet' ? readParquetFacts : readNdjsonFacts)(location, files, signal);
  return {
    bytes,
    ...seen,
    ...(hash && { sha256: await hashFile(location, 'sha256', signal, files.read) }),
  };
}

function toInspectError(error: unknown): FileError {
  const cause = error instanceof TickhaulError ? error.cause : error;
  if (isSystemError(cause) && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')) return MISSING_ERROR;
  if (error instanceof TickhaulError) return toFileError(error);
  if (isSystemError(error)) return { code: 'disk', message: `cannot be read (${error.code})` };
  throw error;
}
