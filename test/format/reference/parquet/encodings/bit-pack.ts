import type { ByteWriter } from '../../../../../src/format/byte-writer.js';

/** Wide values are split: 32 bits hold one part and up to 7 bits from before it. */
const PIECE = 24;
const PIECE_RANGE = 2 ** PIECE;

/** Bits of a non-negative integer up to 2^53. */
export function bitWidth(value: number): number {
  return value < 2 ** 32 ? 32 - Math.clz32(value) : 64 - Math.clz32(Math.floor(value / 2 ** 32));
}

/**
 * Packs `values[start]` to `values[end - 1]` with `width` bits each (1 to 31), lowest bit first, padded with
 * zeros to a multiple of eight values.
 */
export function packBits(
  out: ByteWriter,
  values: Int32Array,
  start: number,
  end: number,
  width: number,
): void {
  const size = Math.ceil((end - start) / 8) * width;
  const bytes = out.reserve(size);
  const { view } = out;
  let at = out.length;
  out.length += size;
  let word = 0;
  let filled = 0;
  for (let i = start; i < end; i++) {
    const value = values[i] as number;
    word |= value << filled;
    filled += width;
    if (filled >= 32) {
      view.setInt32(at, word, true);
      at += 4;
      filled -= 32;
      word = filled === 0 ? 0 : value >>> (width - filled);
    }
  }
  for (; filled > 0; filled -= 8) {
    bytes[at++] = word;
    word >>>= 8;
  }
  bytes.fill(0, at, out.length);
}

/** Like `packBits`, for widths up to 53 bits. */
export function packWideBits(out: ByteWriter, values: Float64Array, count: number, width: number): void {
  const size = Math.ceil(count / 8) * width;
  const bytes = out.reserve(size);
  let at = out.length;
  out.length += size;
  let bits = 0;
  let filled = 0;
  for (let i = 0; i < count; i++) {
    let value = values[i] as number;
    for (let rest = width; rest > 0; rest -= PIECE) {
      bits |= (value % PIECE_RANGE) << filled;
      filled += Math.min(rest, PIECE);
      value = Math.floor(value / PIECE_RANGE);
      while (filled >= 8) {
        bytes[at++] = bits;
        bits >>>= 8;
        filled -= 8;
      }
    }
  }
  if (filled > 0) bytes[at++] = bits;
  bytes.fill(0, at, out.length);
}
