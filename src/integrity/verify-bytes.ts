import { createHash } from 'node:crypto';
import { countLines, linesToRows } from './count-lines.js';
import { gunzipBytes } from './gunzip-bytes.js';
import type { FileChecksums } from './verify-file.js';

/** Bytes of text up to which a file is gunzipped in one piece. */
const MAX_TEXT_BYTES = 64_000_000;

/**
 * Proves a small day file that is in memory, in one go: streams cost more than its bytes.
 * @param onText is given the whole text.
 * @returns undefined when its text is too large for that.
 * @throws TickhaulError `createCorruptError`, as `verifyFile` does; what `onText` throws.
 */
export function verifyBytes(bytes: Buffer, onText?: (text: Buffer) => void): FileChecksums | undefined {
  const proof = verifyBytesWithoutMd5(bytes, onText);
  return proof && { ...proof, md5: createHash('md5').update(bytes).digest('hex') };
}

/** As `verifyBytes`, without the md5: of the two checksums, one is enough to compare. */
export function verifyBytesWithoutMd5(
  bytes: Buffer,
  onText?: (text: Buffer) => void,
): Omit<FileChecksums, 'md5'> | undefined {
  const text = gunzipBytes(bytes, MAX_TEXT_BYTES);
  if (text === undefined) return undefined;
  onText?.(text);
  return {
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    rows: linesToRows(countLines(text), text[text.length - 1]),
  };
}
