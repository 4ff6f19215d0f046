import type { FileError } from '../../base/file-error.js';
import { plural } from '../../base/units.js';
import type { StoredFileInfo } from '../../store/files.js';
import type { CheckResult, ExpectedFile } from '../file-check.js';

export const MISSING_ERROR: FileError = { code: 'missing', message: 'is not there' };

/** What is wrong with a file of this size; undefined for nothing, and where no size is known. */
export function createSizeError(expected: number | undefined, found: number): FileError | undefined {
  if (expected === undefined || expected === found) return undefined;
  return { code: 'corrupt', message: `has ${plural(found, 'byte')}, ${expected} were recorded` };
}

/**
 * What a listing of a store tells of an object that is recorded: whether it is there, its size, and whether it is the
 * one that was written. A record without an ETag says nothing of the last.
 */
export function compareWithListing(
  { bytes, object }: Pick<ExpectedFile, 'bytes' | 'object'>,
  found: StoredFileInfo | undefined,
): CheckResult {
  if (!found) return { error: MISSING_ERROR };
  const error = createSizeError(bytes, found.bytes);
  if (error) return { error };
  return object === undefined || object.etag === found.etag ? {} : { error: ETAG_CHANGED_ERROR };
}

const ETAG_CHANGED_ERROR: FileError = {
  code: 'changed',
  message:
    'has another ETag than was recorded: it was written or copied since, and tickhaul verify reads whether its bytes are the same',
};
