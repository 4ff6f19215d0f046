import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';

const ZSTD_MAGIC = 0xfd2fb528;
/** The first of sixteen magic numbers of skippable frames. */
const SKIPPABLE = 0x184d2a50;
/** Sizes of the dictionary id and the content size in bytes, by their bits in the descriptor. */
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const CONTENT_BYTES = [0, 2, 4, 8] as const;
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;

/**
 * Splits a zstd stream into its frames, without skippable ones (RFC 8878, section 3.1). Decoders read a
 * single frame; Node's own stops after the first.
 * @throws TickhaulError `corrupt` for an incomplete stream.
 */
export function splitZstdFrames(bytes: Buffer): readonly Buffer[] {
  const frames: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const magic = readWord(bytes, at, 4);
    const isSkippable = (magic & 0xfffffff0) >>> 0 === SKIPPABLE;
    if (!isSkippable && magic !== ZSTD_MAGIC) {
      throw new TickhaulError('corrupt', at === 0 ? 'not zstd data' : `no zstd frame at byte ${at}`);
    }
    const end = isSkippable ? at + 8 + readWord(bytes, at + 4, 4) : findFrameEnd(bytes, at + 4);
    if (end > bytes.length) throw createTruncatedError(bytes);
    if (!isSkippable) frames.push(bytes.subarray(at, end));
    at = end;
  }
  if (bytes.length === 0) throw new TickhaulError('corrupt', 'empty body');
  return frames;
}

/** @param start position after the magic number. */
function findFrameEnd(bytes: Buffer, start: number): number {
  const descriptor = readWord(bytes, start, 1);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const content = CONTENT_BYTES[(descriptor >> 6) as 0 | 1 | 2 | 3] || (isSingleSegment ? 1 : 0);
  let at =
    start + 1 + (isSingleSegment ? 0 : 1) + DICTIONARY_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3] + content;
  for (let isLast = false; !isLast; ) {
    const header = readWord(bytes, at, 3);
    const kind = (header >> 1) & 3;
    if (kind === RESERVED_BLOCK) throw new TickhaulError('corrupt', `damaged zstd block at byte ${at}`);
    isLast = (header & 1) !== 0;
    at += 3 + (kind === RLE_BLOCK ? 1 : header >>> 3);
  }
  return at + ((descriptor & 4) !== 0 ? 4 : 0);
}

function readWord(bytes: Buffer, at: number, size: number): number {
  if (at + size > bytes.length) throw createTruncatedError(bytes);
  return bytes.readUIntLE(at, size);
}

function createTruncatedError(bytes: Buffer): TickhaulError {
  return new TickhaulError('corrupt', `the zstd stream ends early after ${plural(bytes.length, 'byte')}`);
}
