import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import type { ExpectedBytes } from '../types.js';

/**
 * A whole file may not be the one that a lock file names.
 * @param found what is known of it: its size is known before its bytes.
 * @throws TickhaulError `changed`, where another try would bring the same again.
 */
export function assertExpected(
  path: string,
  expected: ExpectedBytes | undefined,
  { bytes, sha256 }: { readonly bytes: number | undefined; readonly sha256?: string },
): void {
  if (!expected) return;
  const isOther = bytes !== undefined && bytes !== expected.bytes;
  if (!isOther && (sha256 === undefined || sha256 === expected.sha256)) return;
  const found = sha256 === undefined ? plural(bytes ?? 0, 'byte') : `sha256 ${sha256}`;
  const named = sha256 === undefined ? `${expected.bytes}` : expected.sha256;
  throw new TickhaulError(
    'changed',
    `${path}: the service has other bytes now than the lock file names (${found}, not ${named}); what is on disk stays`,
  );
}
