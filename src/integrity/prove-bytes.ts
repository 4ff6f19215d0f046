import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { isSystemError, TickhaulError } from '../base/errors.js';
import { plural } from '../base/units.js';
import { countLines, rowsOf } from './count-lines.js';
import { describeGzipError, HEAD_BYTES } from './gzip-error.js';
import type { Proof } from './proof.js';

/** Bytes of text up to which a file is gunzipped in one piece. */
const MAX_TEXT = 64_000_000;
const MIN_CHUNK = 1024;
const MAX_CHUNK = 256 * 1024;
/** Bytes of a gzip member's end: checksum, and length of its text (RFC 1952, section 2.3.1). */
const TRAILER = 8;

/** What `gunzipSync` gives with `info`; the types don't say so. */
interface Gunzipped {
  readonly buffer: Buffer;
  /** Bytes that were used. */
  readonly engine: { readonly bytesWritten: number };
}

/**
 * Proves a small day file that is in memory, in one go: streams cost more than its bytes.
 * @returns undefined when its text is too large for that.
 * @throws TickhaulError `corrupt`, as `proveFile` does.
 */
export function proveBytes(bytes: Buffer): Proof | undefined {
  const proof = proveBytesBriefly(bytes);
  return proof && { ...proof, md5: createHash('md5').update(bytes).digest('hex') };
}

/** As `proveBytes`, without the md5: of the two checksums, one is enough to compare. */
export function proveBytesBriefly(bytes: Buffer): Omit<Proof, 'md5'> | undefined {
  if (bytes.length === 0) throw new TickhaulError('corrupt', 'empty body');
  const text = gunzip(bytes);
  if (text === undefined) return undefined;
  return {
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    rows: rowsOf(countLines(text), text[text.length - 1]),
  };
}

/** As much as a file of one member says it needs: buffers that are too large cost as much as the work. */
function chunkFor(bytes: Buffer): number {
  const length = bytes.length < TRAILER ? 0 : bytes.readUInt32LE(bytes.length - 4);
  return Math.min(Math.max(length + 1, MIN_CHUNK), MAX_CHUNK);
}

function gunzip(bytes: Buffer): Buffer | undefined {
  try {
    const options = { chunkSize: chunkFor(bytes), maxOutputLength: MAX_TEXT, info: true };
    const { buffer, engine } = gunzipSync(bytes, options) as unknown as Gunzipped;
    // zlib takes a zero byte after a member for padding, and drops the rest without a word.
    if (engine.bytesWritten === bytes.length) return buffer;
    const used = engine.bytesWritten;
    throw new TickhaulError(
      'corrupt',
      `${plural(bytes.length - used, 'byte')} after the last gzip member (byte ${used})`,
    );
  } catch (error) {
    if (error instanceof TickhaulError || !isSystemError(error)) throw error;
    if (error.code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw new TickhaulError('corrupt', describeGzipError(error, bytes.subarray(0, HEAD_BYTES), bytes.length));
  }
}
