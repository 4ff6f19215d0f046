import { createHash } from 'node:crypto';
import { countLines, linesToRows } from './count-lines.js';
import { gunzipBytes } from './gunzip-bytes.js';
import type { FileChecksums, TextCheck } from './verify-file.js';

/** Maximum size of a text that is gunzipped at once. */
const MAX_TEXT_BYTES = 64_000_000;

/**
 * Verifies a small day file in memory at once, which is faster than streams.
 * @returns undefined if the text is too large for this.
 * @throws TickhaulError `corrupt`, like `verifyFile`; what the check throws.
 */
export function verifyBytes(bytes: Buffer, check?: TextCheck): FileChecksums | undefined {
  const checksums = verifyBytesWithoutMd5(bytes, check);
  return checksums && { ...checksums, md5: createHash('md5').update(bytes).digest('hex') };
}

/** Like `verifyBytes`, but without the md5, for comparisons that need only one checksum. */
export function verifyBytesWithoutMd5(
  bytes: Buffer,
  check?: TextCheck,
): Omit<FileChecksums, 'md5'> | undefined {
  const text = gunzipBytes(bytes, MAX_TEXT_BYTES);
  if (text === undefined) return undefined;
  check?.push(text);
  check?.end();
  return {
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    rows: linesToRows(countLines(text), text[text.length - 1]),
  };
}
