import { gunzipSync } from 'node:zlib';
import { isSystemError, TickhaulError } from '../base/errors.js';
import { plural } from '../base/units.js';
import { describeGzipError, HEAD_BYTES } from './describe-gzip-error.js';

const MIN_CHUNK_BYTES = 1024;
const MAX_CHUNK_BYTES = 256 * 1024;
/** Bytes of a gzip member's end: checksum, and length of its text (RFC 1952, section 2.3.1). */
const TRAILER_BYTES = 8;

/** What `gunzipSync` gives with `info`; the types don't say so. */
interface GunzipInfo {
  readonly buffer: Buffer;
  /** Bytes that were used. */
  readonly engine: { readonly bytesWritten: number };
}

/**
 * Gunzips a small file that is in memory, in one go: a stream costs more than its bytes. As with `startGunzip`, it has
 * to be a whole gzip file and nothing more.
 * @param mostText bytes. @returns undefined where its text is larger.
 * @throws TickhaulError `createCorruptError`.
 */
export function gunzipBytes(bytes: Buffer, mostText: number): Buffer | undefined {
  if (bytes.length === 0) throw new TickhaulError('corrupt', 'empty body');
  try {
    const options = { chunkSize: chooseChunkBytes(bytes), maxOutputLength: mostText, info: true };
    const { buffer, engine } = gunzipSync(bytes, options) as unknown as GunzipInfo;
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

/** As much as a file of one member says it needs: buffers that are too large cost as much as the work. */
function chooseChunkBytes(bytes: Buffer): number {
  const length = bytes.length < TRAILER_BYTES ? 0 : bytes.readUInt32LE(bytes.length - 4);
  return Math.min(Math.max(length + 1, MIN_CHUNK_BYTES), MAX_CHUNK_BYTES);
}
