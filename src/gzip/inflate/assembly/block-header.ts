// Headers of dynamic blocks (RFC 1951, section 3.2.7).
import { buffer, count, position, setBits } from './bits';
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
