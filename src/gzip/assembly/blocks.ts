// Headers of dynamic blocks (RFC 1951, section 3.2.7).
import { buffer, count, position, seekBit, setBits } from './decode';
import { buildDistances, buildLengths, buildPrecode, codeLengths, pairLiterals, precodeTable } from './tables';

/** Order in which the lengths of the precode are stored. */
const PRECODE_ORDER: StaticArray<u8> = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

const END_OF_BLOCK = 256;

/** Whether the tables are those of fixed codes. */
let hasFixedTables = false;

/** Maximum length of a header, in bytes; so much memory after the input must be readable. */
export const MAX_HEADER_BYTES = 512;

/**
 * Reads the header of a dynamic block after its first 3 bits, and builds its tables.
 * @param pairs whether an entry may hold two literals.
 * @returns false if it is invalid.
 */
export function readDynamicHeader(pairs: bool): bool {
  hasFixedTables = false;
  let bits = buffer;
  let left = count;
  let p = position;
  bits |= load<u64>(p) << <u64>left; p += 7 - ((left >> 3) & 7); left |= 56;
  const lengths = <i32>(bits & 31) + 257;
  const distances = <i32>((bits >> 5) & 31) + 1;
  const precodes = <i32>((bits >> 10) & 15) + 4;
  if (lengths > 286 || distances > 30) return false;
  bits >>= 14; left -= 14;
  memory.fill(codeLengths, 0, 19);
  for (let i = 0; i < precodes; i++) {
    if (i == 12) { bits |= load<u64>(p) << <u64>left; p += 7 - ((left >> 3) & 7); left |= 56; }
    store<u8>(codeLengths + unchecked(PRECODE_ORDER[i]), <u8>(bits & 7));
    bits >>= 3; left -= 3;
  }
  if (!buildPrecode(codeLengths)) return false;
  const total = lengths + distances;
  for (let i = 0; i < total; ) {
    bits |= load<u64>(p) << <u64>left; p += 7 - ((left >> 3) & 7); left |= 56;
    // 56 bits hold four symbols, of up to 7 + 7 bits.
    for (let k = 0; k < 4 && i < total; k++) {
      const entry = load<u32>(precodeTable + (<usize>(bits & 127) << 2));
      bits >>= <u64>(entry & 0xff); left -= entry & 0xff;
      const symbol = <i32>(entry >> 16);
      if (symbol < 16) {
        store<u8>(codeLengths + i++, <u8>symbol);
        continue;
      }
      let repeat = 0;
      let value: u8 = 0;
      if (symbol == 16) {
        if (i == 0) return false;
        value = load<u8>(codeLengths + i - 1);
        repeat = 3 + <i32>(bits & 3); bits >>= 2; left -= 2;
      } else if (symbol == 17) {
        repeat = 3 + <i32>(bits & 7); bits >>= 3; left -= 3;
      } else {
        repeat = 11 + <i32>(bits & 127); bits >>= 7; left -= 7;
      }
      if (i + repeat > total) return false;
      memory.fill(codeLengths + i, value, repeat);
      i += repeat;
    }
  }
  setBits(bits, left & 63, p);
  if (load<u8>(codeLengths + END_OF_BLOCK) == 0) return false;
  if (!buildDistances(codeLengths + lengths, distances)) return false;
  if (!buildLengths(codeLengths, lengths)) return false;
  if (pairs) pairLiterals();
  return true;
}

/** Builds the tables of a block with fixed codes (RFC 1951, section 3.2.6). */
export function buildFixedTables(): void {
  if (hasFixedTables) return;
  hasFixedTables = true;
  memory.fill(codeLengths, 8, 144);
  memory.fill(codeLengths + 144, 9, 112);
  memory.fill(codeLengths + 256, 7, 24);
  memory.fill(codeLengths + 280, 8, 8);
  buildLengths(codeLengths, 288);
  pairLiterals();
  memory.fill(codeLengths, 5, 32);
  buildDistances(codeLengths, 32);
}

// Finds where a block may begin in the middle of a stream.

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
