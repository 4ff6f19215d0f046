import type { FileError } from '../../base/file-error.js';
import { plural } from '../../base/units.js';
import type { StoredFileInfo } from '../../store/files.js';
import type { CheckResult, ExpectedFile } from '../file-check.js';

export const MISSING_ERROR: FileError = { code: 'missing', message: 'is missing' };

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

const ETAG_CHANGED_ERROR: FileError = {
  code: 'changed',
  message:
    'does not have the recorded ETag, since it was written again or copied; tickhaul verify without --listed compares its bytes',
};
