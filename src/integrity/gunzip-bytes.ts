import { constants, gunzipSync } from 'node:zlib';
import { isSystemError, TickhaulError } from '../base/errors.js';
import { plural } from '../base/units.js';
import { describeGzipError, HEAD_BYTES } from './describe-gzip-error.js';

const MIN_CHUNK_BYTES = 1024;
const MAX_CHUNK_BYTES = 256 * 1024;
/** Length of the trailer of a gzip member: checksum and text length (RFC 1952, section 2.3.1). */
const TRAILER_BYTES = 8;

/** Result of `gunzipSync` with the option `info`, which Node's types lack. */
interface GunzipInfo {
  readonly buffer: Buffer;
  /** Compressed bytes that were used. */
  readonly engine: { readonly bytesWritten: number };
}

/**
 * Gunzips a small file in memory at once, which is faster than a stream. As with `startGunzip`, the bytes
 * must be a complete gzip file and nothing more.
 * @returns undefined if the text is larger than `maxTextBytes`.
 * @throws TickhaulError `corrupt`.
 */
export function gunzipBytes(bytes: Buffer, maxTextBytes: number): Buffer | undefined {
  if (bytes.length === 0) throw new TickhaulError('corrupt', 'empty body');
  try {
    const options = { chunkSize: chooseChunkBytes(bytes), maxOutputLength: maxTextBytes, info: true };
    const { buffer, engine } = gunzipSync(bytes, options) as unknown as GunzipInfo;
    // zlib takes a zero byte after a member for padding, and ignores the rest without an error.
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

/** Gunzips the start of a file, as far as its bytes go. @throws TickhaulError `corrupt`. */
export function gunzipStart(bytes: Buffer): Buffer {
  if (bytes.length === 0) throw new TickhaulError('corrupt', 'empty body');
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new TickhaulError('corrupt', describeGzipError(error, bytes.subarray(0, HEAD_BYTES), bytes.length));
  }
}

/**
 * The text length in the trailer, which is exact for a file of one member: too large a buffer is slow to
 * allocate.
 */
function chooseChunkBytes(bytes: Buffer): number {
  const length = bytes.length < TRAILER_BYTES ? 0 : bytes.readUInt32LE(bytes.length - 4);
  return Math.min(Math.max(length + 1, MIN_CHUNK_BYTES), MAX_CHUNK_BYTES);
}
