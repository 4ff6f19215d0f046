// Finds where a block may begin in the middle of a stream.
import { readDynamicHeader } from './block-header';
import { seekBit } from './bits';

/** Sums of four code lengths of 3 bits each, of 2 ** -length in 128ths, up to 255. */
let kraftSums: usize = 0;
const COMPLETE_CODE: u32 = 128;

/** Reserves 4 KB from `base` on. @returns the address after them. */
export function setUpSearch(base: usize): usize {
  kraftSums = base;
  for (let lengths = 0; lengths < 4096; lengths++) {
    let sum = 0;
    for (let shift = 0; shift < 12; shift += 3) {
      const length = (lengths >> shift) & 7;
      if (length) sum += <i32>COMPLETE_CODE >> length;
    }
    store<u8>(kraftSums + lengths, <u8>min(sum, 255));
  }
  return base + 4096;
}

/**
 * The first bit from `from` on at which a dynamic block may begin that is not the last of its stream
 * (RFC 1951, section 3.2.7). Most places are ruled out by the lengths of their precode, which must be a complete
 * code; the others by the whole header. 16 bytes after `to` must be readable.
 * @returns `to` if there is none before.
 */
export function findBlock(from: u64, to: u64): u64 {
  for (let bit = from; bit < to; ) {
    const at = <usize>(bit >> 3);
    const word = load<u64>(at);
    // The 8 places of a byte at once: where the bits are 0, 0, 1.
    let places = <u32>(~word & ~(word >> 1) & (word >> 2)) & 0xff;
    places &= 0xff << (<u32>bit & 7);
    for (; places; places &= places - 1) {
      const place = ctz(places);
      const header = word >> <u64>place;
      // More than 286 lengths, or 30 distances.
      if ((header & 0xf0) == 0xf0 || (header & 0x1e00) == 0x1e00) continue;
      const precodeBits = 3 * (<i32>((header >> 13) & 15) + 4);
      // The first 8 lengths, and up to 11 more.
      let first = (header >> 17) & 0xffffff;
      let others = (load<u64>(at, 5) >> <u64>place >> 1) & 0x1ffffffff;
      if (precodeBits < 24) {
        first &= (1 << precodeBits) - 1;
        others = 0;
      } else {
        others &= (<u64>1 << <u64>(precodeBits - 24)) - 1;
      }
      let sum = kraftSum(first & 0xfff) + kraftSum(first >> 12);
      if (sum > COMPLETE_CODE) continue;
      sum += kraftSum(others & 0xfff) + kraftSum((others >> 12) & 0xfff) + kraftSum(others >> 24);
      if (sum != COMPLETE_CODE) continue;
      const found = (<u64>at << 3) + place;
      if (found >= to) return to;
      seekBit(found + 3);
      if (readDynamicHeader(false)) return found;
    }
    bit = (<u64>at + 1) << 3;
  }
  return to;
}

// @ts-ignore: decorator
@inline
function kraftSum(lengths: u64): u32 {
  return load<u8>(kraftSums + <usize>lengths);
}
