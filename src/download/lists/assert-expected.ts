import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import type { ExpectedBytes } from '../download-options.js';

/**
 * Checks a complete file against the lock file.
 * @param sha256 undefined while only the size is known.
 * @throws TickhaulError `changed`, which a retry cannot fix.
 */
export function assertExpected(
  path: string,
  expected: ExpectedBytes | undefined,
  { bytes, sha256 }: { readonly bytes: number | undefined; readonly sha256?: string },
): void {
  if (!expected) return;
  const hasOtherSize = bytes !== undefined && bytes !== expected.bytes;
  if (!hasOtherSize && (sha256 === undefined || sha256 === expected.sha256)) return;
  const actual = sha256 === undefined ? plural(bytes ?? 0, 'byte') : `sha256 ${sha256}`;
  const expectedText = sha256 === undefined ? `${expected.bytes}` : expected.sha256;
  throw new TickhaulError(
    'changed',
    `${path}: the service has other bytes than the lock file names (${actual}, not ${expectedText}); the existing file is kept`,
  );
}
