import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { NON_BLOCKING } from '../base/disk-files.js';
import { abortReason, type FileError, isSystemError, TickhaulError, toFileError } from '../base/errors.js';
import type { OutputFormatName } from '../base/output-format-names.js';
import { plural } from '../base/units.js';
import { deferStartCheck } from '../format/csv/start-check.js';
import { hashFile } from '../gzip/checksums.js';
import { ALL_HASHES, type TextCheck, verifyBytes, verifyFile } from '../gzip/verify-file.js';
import type { Destination } from '../store/destination.js';
import { type Files, readBytesAt, type StoredFileInfo } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import { findDifference } from '../store/manifest-record.js';
import type { CheckRequest, CheckResult, ExpectedFile, FileCheck, FileObservation } from './file-checks.js';

const MISSING_ERROR: FileError = { code: 'missing', message: 'is missing' };

const ETAG_CHANGED_ERROR: FileError = {
  code: 'changed',
  message:
    'does not have the recorded ETag, since it was written again or copied; tickhaul verify without --listed compares its bytes',
};

/** Maximum size of a file that is read at once. */
const SMALL_FILE_BYTES = 1_000_000;

/**
 * Creates the requests to check threads.
 * @param listed the store's listing by path, if there is one. @param inflateThreads as in `CheckRequest`.
 */
export function createRequestFactory(
  destination: Destination,
  listed?: ReadonlyMap<string, StoredFileInfo>,
  inflateThreads?: number,
): (check: FileCheck) => CheckRequest {
  return ({ kind, path, file, expected }) => ({
    kind,
    location: destination.locate(path),
    bytes: expected?.bytes,
    hash: expected !== undefined,
    file: kind === 'day' ? file : undefined,
    listed: listed?.get(path),
    inflateThreads,
  });
}

/**
 * Inspects files one after the other.
 * @param onBytes called with the index of a file and the number of bytes read, but for a batch of small files.
 * @throws the abort reason.
 */
export async function inspectBatch(
  requests: readonly CheckRequest[],
  files: Files,
  onBytes: (bytes: readonly [index: number, count: number]) => void,
  signal: AbortSignal,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [index, request] of requests.entries()) {
    const onFileBytes = (count: number): void => {
      if (requests.length === 1) onBytes([index, count]);
    };
    results.push(await inspectFileBytes(request, onFileBytes, files, signal));
    if (signal.aborted) throw abortReason(signal);
  }
  return results;
}

/**
 * Inspects one file: gunzips a day file to its end, or reads the rows and metadata of an output. Errors of the file are returned, not thrown.
 * @param onBytes called with the number of bytes read.
 * @param signal aborts the reading.
 */
export async function inspectFileBytes(
  request: CheckRequest,
  onBytes: (count: number) => void,
  files: Files,
  signal?: AbortSignal,
): Promise<CheckResult> {
  try {
    const { location, kind, listed } = request;
    // Synchronous for small files on disk, since a promise for each of them is measurably slower.
    const stats = isObjectLocation(location)
      ? (listed ?? (await files.stat(location, signal)))
      : statFile(location);
    if (!stats) return { error: MISSING_ERROR };
    const error = createSizeError(request.bytes, stats.bytes);
    if (error) return { error };
    const observation =
      kind === 'day'
        ? await inspectDayFile(request, stats, onBytes, files, signal)
        : kind === 'export'
          ? await inspectExport(request, stats, files, signal)
          : await inspectOutput(kind, request, files, signal);
    return { observation: stats.etag === undefined ? observation : { ...observation, etag: stats.etag } };
  } catch (error) {
    return { error: toInspectError(error) };
  }
}

/** Checks existence and size of a file on this machine. */
export function statExpected({ location, bytes }: CheckRequest): CheckResult {
  try {
    const error = createSizeError(bytes, statFile(location).bytes);
    return error ? { error } : {};
  } catch (error) {
    return { error: toInspectError(error) };
  }
}

/** @throws TickhaulError `corrupt` if it is not a file. */
function statFile(path: string): StoredFileInfo {
  const stats = statSync(path);
  if (!stats.isFile()) throw new TickhaulError('corrupt', 'is not a file');
  return { bytes: stats.size };
}

async function inspectDayFile(
  request: CheckRequest,
  { bytes }: StoredFileInfo,
  onBytes: (count: number) => void,
  files: Files,
  signal: AbortSignal | undefined,
): Promise<FileObservation> {
  const { location, file } = request;
  // Other bytes than the recorded ones are the more precise error, so the file is read to its end in any case.
  const check = file && deferStartCheck(file);
  const smallResult =
    bytes < SMALL_FILE_BYTES ? await inspectSmallDayFile(request, check, files, signal) : undefined;
  if (smallResult) onBytes(bytes);
  const options = { check, onBytes, read: files.read, inflateThreads: request.inflateThreads, signal };
  const observation = smallResult ?? (await verifyFile(location, options));
  return check?.error ? { ...observation, startError: toFileError(check.error) } : observation;
}

async function inspectSmallDayFile(
  { location, bytes: expected }: CheckRequest,
  check: TextCheck | undefined,
  files: Files,
  signal: AbortSignal | undefined,
): Promise<FileObservation | undefined> {
  // A comparison with a record needs only one checksum.
  const hashes = expected === undefined ? ALL_HASHES : (['sha256'] as const);
  const verify = (bytes: Buffer): FileObservation | undefined => verifyBytes(bytes, { hashes, check });
  // `verify` runs synchronously after the read: the next file overwrites the same buffer.
  return isObjectLocation(location)
    ? verify(await readBytesAt(files, location, signal))
    : verify(readSmallFile(location));
}

/** Shared buffer, overwritten by each small file of this machine. */
const readBuffer = Buffer.allocUnsafeSlow(SMALL_FILE_BYTES);

function readSmallFile(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | NON_BLOCKING);
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
  format: OutputFormatName,
  { location, hash }: CheckRequest,
  files: Files,
  signal: AbortSignal | undefined,
): Promise<FileObservation> {
  const { OUTPUT_FORMATS } = await import('../format/output-formats.js');
  const facts = await OUTPUT_FORMATS[format].readFacts(location, files, signal);
  return {
    ...facts,
    ...(hash && { sha256: await hashFile(location, 'sha256', { read: files.read, signal }) }),
  };
}

/** Its format is that of the target, so only the bytes are compared. */
async function inspectExport(
  { location }: CheckRequest,
  { bytes }: StoredFileInfo,
  files: Files,
  signal: AbortSignal | undefined,
): Promise<FileObservation> {
  return { bytes, sha256: await hashFile(location, 'sha256', { read: files.read, signal }) };
}

function toInspectError(error: unknown): FileError {
  const cause = error instanceof TickhaulError ? error.cause : error;
  if (isSystemError(cause) && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')) return MISSING_ERROR;
  if (error instanceof TickhaulError) return toFileError(error);
  if (isSystemError(error)) return { code: 'disk', message: `cannot be read (${error.code})` };
  throw error;
}

/** The error if a file has another size than recorded; undefined if it matches or no size is recorded. */
function createSizeError(expected: number | undefined, actual: number): FileError | undefined {
  if (expected === undefined || expected === actual) return undefined;
  return { code: 'corrupt', message: `has ${plural(actual, 'byte')}, ${expected} were recorded` };
}

/**
 * Compares a recorded object with a store's listing: existence, size and ETag. A record without an ETag matches any
 * ETag.
 */
export function compareWithListing(
  expected: Pick<ExpectedFile, 'bytes' | 'object'>,
  actual: StoredFileInfo | undefined,
): CheckResult {
  switch (findDifference(expected, actual)) {
    case 'missing':
      return { error: MISSING_ERROR };
    case 'size':
      return { error: createSizeError(expected.bytes, actual?.bytes ?? 0) };
    case 'etag':
      return { error: ETAG_CHANGED_ERROR };
    default:
      return {};
  }
}
