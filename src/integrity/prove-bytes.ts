import { createHash } from 'node:crypto';
import { countLines, rowsOf } from './count-lines.js';
import { gunzipBytes } from './gunzip-bytes.js';
import type { Proof } from './proof.js';

/** Bytes of text up to which a file is gunzipped in one piece. */
const MAX_TEXT = 64_000_000;

/**
 * Proves a small day file that is in memory, in one go: streams cost more than its bytes.
 * @param onText is given the whole text.
 * @returns undefined when its text is too large for that.
 * @throws TickhaulError `corrupt`, as `proveFile` does; what `onText` throws.
 */
export function proveBytes(bytes: Buffer, onText?: (text: Buffer) => void): Proof | undefined {
  const proof = proveBytesBriefly(bytes, onText);
  return proof && { ...proof, md5: createHash('md5').update(bytes).digest('hex') };
}

/** As `proveBytes`, without the md5: of the two checksums, one is enough to compare. */
export function proveBytesBriefly(
  bytes: Buffer,
  onText?: (text: Buffer) => void,
): Omit<Proof, 'md5'> | undefined {
  const text = gunzipBytes(bytes, MAX_TEXT);
  if (text === undefined) return undefined;
  onText?.(text);
  return {
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    rows: rowsOf(countLines(text), text[text.length - 1]),
  };
}
