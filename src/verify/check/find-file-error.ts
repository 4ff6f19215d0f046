import type { ErrorCode, FileError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import type { FileStatus } from '../../run/run-events.js';
import type { StoredFileInfo } from '../../store/files.js';
import type { CheckResult, ExpectedFile, FileCheck, FileObservation } from '../file-check.js';
import type { OutputProvenance } from './output-provenance.js';

export const MISSING_ERROR: FileError = { code: 'missing', message: 'is missing' };

const ETAG_CHANGED_ERROR: FileError = {
  code: 'changed',
  message:
    'does not have the recorded ETag, since it was written again or copied; tickhaul verify without --listed compares its bytes',
};

/** The error of a checked file, or undefined if it is valid. */
export function findFileError(
  check: FileCheck,
  result: CheckResult,
  provenance?: OutputProvenance,
): FileError | undefined {
  const { error, observation } = result;
  if (error) return addPath(check, error);
  if (!observation) return undefined;
  const { expected, record } = check;
  const message =
    (expected && compareWithRecord(observation, expected)) ??
    (provenance &&
      compareWithProvenance(observation, { ...provenance, record: record ?? provenance.record }));
  if (message !== undefined) return addPath(check, { code: 'corrupt', message });
  return observation.startError && addPath(check, observation.startError);
}

/** Maps an error to the status of its file. */
export function errorToFileStatus(error: FileError): FileStatus {
  if (error.code === 'missing') return 'missing';
  return error.code === 'corrupt' || error.code === 'changed' ? 'corrupt' : 'failed';
}

function compareWithRecord({ sha256, rows }: FileObservation, expected: ExpectedFile): string | undefined {
  if (sha256 !== undefined && sha256 !== expected.sha256) return 'its sha256 is not the recorded one';
  if (rows !== undefined && rows !== expected.rows)
    return `has ${plural(rows, 'row')}, ${expected.rows} were recorded`;
  return undefined;
}

function compareWithProvenance(
  { bytes, rows }: FileObservation,
  provenance: OutputProvenance,
): string | undefined {
  const { source, record } = provenance;
  if (rows !== provenance.rows) return `has ${plural(rows ?? 0, 'row')}, ${provenance.rows} were written`;
  if (provenance.bytes >= 0 && bytes !== provenance.bytes)
    return `has ${plural(bytes, 'byte')}, ${provenance.bytes} were written`;
  if (!record || record.md5 === source.md5) return undefined;
  return `${record.path} has changed since this conversion; convert it again`;
}

/** Puts the file's path before the message, unless the message contains it, and the remedy of a bad export after it. */
function addPath({ path, target }: FileCheck, error: FileError): FileError {
  const message = error.message.includes(path) ? error.message : `${path}: ${error.message}`;
  if (target === undefined) return { ...error, message };
  const remedies: Partial<Record<ErrorCode, string>> = {
    corrupt: `; tickhaul export ${target} … --existing overwrite writes it again`,
    missing: '; the next export writes it again',
  };
  return { ...error, message: `${message}${remedies[error.code] ?? ''}` };
}

/** The error if a file has another size than recorded; undefined if it matches or no size is recorded. */
export function createSizeError(expected: number | undefined, actual: number): FileError | undefined {
  if (expected === undefined || expected === actual) return undefined;
  return { code: 'corrupt', message: `has ${plural(actual, 'byte')}, ${expected} were recorded` };
}

/**
 * Compares a recorded object with a store's listing: existence, size and ETag. A record without an ETag matches any
 * ETag.
 */
export function compareWithListing(
  { bytes, object }: Pick<ExpectedFile, 'bytes' | 'object'>,
  actual: StoredFileInfo | undefined,
): CheckResult {
  if (!actual) return { error: MISSING_ERROR };
  const error = createSizeError(bytes, actual.bytes);
  if (error) return { error };
  return object === undefined || object.etag === actual.etag ? {} : { error: ETAG_CHANGED_ERROR };
}
