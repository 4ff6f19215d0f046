// The bits of a stream that are not used up yet: `count` bits in `buffer`, followed by the bytes at `position`.
// The loops keep them in local variables. Refilling reads 8 bytes at once, so memory after the input must be readable.
import { MAX_HEADER_BYTES, buildFixedTables, readDynamicHeader } from './blocks';
import { DISTANCE_BITS, DISTANCE_TABLE, END, LENGTH_BITS, LITERAL, SPECIAL, SUBTABLE, lengthTable } from './tables';

export let buffer: u64 = 0;
export let count: u32 = 0;
export let position: usize = 0;

export function setBits(newBuffer: u64, newCount: u32, newPosition: usize): void {
  buffer = newBuffer;
  count = newCount;
  position = newPosition;
}

/** Begins at a bit of memory: address times 8 plus the number of the bit. */
export function seekBit(bit: u64): void {
  const at = <usize>(bit >> 3);
  const skipped = bit & 7;
  if (skipped == 0) setBits(0, 0, at);
  else setBits(<u64>load<u8>(at) >> skipped, 8 - <u32>skipped, at + 1);
}

/** Returns whole bytes of the buffer to the input. Only the lowest 6 bits of `newCount` are used. */
function storeBits(newBuffer: u64, newCount: u32, newPosition: usize): void {
  newCount &= 63;
  const rest = newCount & 7;
  setBits(newBuffer & ((<u64>1 << <u64>rest) - 1), rest, newPosition - (newCount >> 3));
}

// Decodes DEFLATE (RFC 1951) to text, or to tokens, which need no window.

/** The output is full. */
export const FULL: i32 = 0;
/** More input is needed. */
const STARVED: i32 = 1;
/** The stream ended; its last byte is before `position`. */
const ENDED: i32 = 2;
/** A block that others may begin with begins at `stopped`. */
const AT_BLOCK: i32 = 3;
/** The stream is invalid or incomplete. */
const REFUSED: i32 = -1;

const BETWEEN_BLOCKS = 0;
const IN_CODES = 1;
const IN_STORED = 2;
/** First three bits of a dynamic block that is not the last one. */
const DYNAMIC_HEADER: u64 = 4;

const LENGTH_MASK: u32 = (1 << LENGTH_BITS) - 1;
const DISTANCE_MASK: u32 = (1 << DISTANCE_BITS) - 1;

let block = BETWEEN_BLOCKS;
let isLastBlock: bool = false;
let storedBytes: usize = 0;

/** Address after the text or the literals. */
export let output: usize = 0;
/** Address after the tokens. */
export let tokens: usize = 0;
/** The bit at which the block begins for which `decode` stopped. */
export let stopped: u64 = 0;

/** Begins a stream, or a block of one, at a bit of memory. */
export function startAt(bit: u64): void {
  seekBit(bit);
  block = BETWEEN_BLOCKS;
  isLastBlock = false;
}

/** Continues a stream at an address to which its unused input was moved. */
export function continueAt(address: usize): void {
  setBits(buffer, count, address);
}

/**
 * A token: number of literals before it (8 bits), length of the match after them (9 bits), and its distance
 * minus 1 (15 bits). The length is 0 if no match follows.
 */
// @ts-ignore: decorator
@inline
function token(literals: u32, length: u32, distance: u32): u32 {
  return literals | (length << 8) | ((distance - 1) << 17);
}
const MAX_TOKEN_LITERALS: u32 = 255;

/**
 * Decodes until the output is full, the input is used up, the stream ends, or, between blocks, from `stopBit` on,
 * until a dynamic block begins that is not the last.
 * @param T u8 for text, u32 for tokens and literals.
 * @param end of the input. Unless it is `final`, some of it stays for the next call. `MAX_HEADER_BYTES` after it must
 * be readable.
 * @param start address of the stream's first text in memory, which is the limit of distances.
 * @param to address of the text or literals. @param limit may be passed by 300 bytes.
 * @param tokensTo address of the tokens. @param tokensLimit may be passed by 4 bytes for each 255 bytes of literals.
 */
// @ts-ignore: decorator
@inline
export function decode<T>(end: usize, final: bool, start: usize, to: usize, limit: usize, stopBit: u64, tokensTo: usize, tokensLimit: usize): i32 {
  let bits = buffer;
  let left = count;
  let p = position;
  let out = to;
  let tokenAt = tokensTo;
  let firstLiteral = to;
  const inputLimit = final ? end + 8 : end - MAX_HEADER_BYTES;
  const table = lengthTable;
  let status = FULL;
  while (out < limit) {
    if (block == BETWEEN_BLOCKS) {
      // The input must hold what follows a stream, too.
      if (isLastBlock && (final || p <= inputLimit)) { status = ENDED; break; }
      if (p > inputLimit) { status = final ? REFUSED : STARVED; break; }
      bits |= load<u64>(p) << <u64>left; p += 7 - ((left >> 3) & 7); left |= 56;
      const bit = (<u64>p << 3) - <u64>(left & 63);
      if (bit >= stopBit && (bits & 7) == DYNAMIC_HEADER) { stopped = bit; status = AT_BLOCK; break; }
      isLastBlock = <bool>(bits & 1);
      const type = <i32>(bits >> 1) & 3;
      bits >>= 3; left -= 3;
      if (type == 0) {
        p -= (left & 63) >> 3;
        bits = 0; left = 0;
        storedBytes = <usize>load<u16>(p);
        if (storedBytes != <usize>(load<u16>(p, 2) ^ 0xffff)) { status = REFUSED; break; }
        p += 4;
        block = IN_STORED;
      } else if (type == 1) {
        buildFixedTables();
        block = IN_CODES;
      } else if (type == 2) {
        setBits(bits, left & 63, p);
        if (!readDynamicHeader(true)) { status = REFUSED; break; }
        bits = buffer; left = count; p = position;
        block = IN_CODES;
      } else { status = REFUSED; break; }
    }
    if (block == IN_STORED) {
      const available = p < end ? end - p : 0;
      const length = min(min(storedBytes, available), limit - out);
      memory.copy(out, p, length);
      out += length;
      p += length;
      storedBytes -= length;
      if (storedBytes > 0) {
        if (out < limit) status = final ? REFUSED : STARVED;
        break;
      }
      block = BETWEEN_BLOCKS;
      continue;
    }
    if (p >= inputLimit) { status = final ? REFUSED : STARVED; break; }
    bits |= load<u64>(p) << <u64>left; p += 7 - ((left >> 3) & 7); left |= 56;
    let entry = load<u32>(table + ((<u32>bits & LENGTH_MASK) << 2));
    do {
      let saved = bits;
      bits >>= <u64>entry; left -= entry;
      if (entry & LITERAL) {
        store<u16>(out, <u16>(entry >> 8)); out += (entry >> 24) & 3;
        entry = load<u32>(table + ((<u32>bits & LENGTH_MASK) << 2));
        saved = bits;
        bits >>= <u64>entry; left -= entry;
        if (entry & LITERAL) {
          store<u16>(out, <u16>(entry >> 8)); out += (entry >> 24) & 3;
          entry = load<u32>(table + ((<u32>bits & LENGTH_MASK) << 2));
          saved = bits;
          bits >>= <u64>entry; left -= entry;
          if (entry & LITERAL) {
            store<u16>(out, <u16>(entry >> 8)); out += (entry >> 24) & 3;
            bits |= load<u64>(p) << <u64>left; p += 7 - ((left >> 3) & 7); left |= 56;
            entry = load<u32>(table + ((<u32>bits & LENGTH_MASK) << 2));
            continue;
          }
        }
      }
      if (entry & SPECIAL) {
        if (entry & SUBTABLE) {
          entry = load<u32>(table + (((entry >> 16) + (<u32>bits & ((1 << ((entry >> 8) & 15)) - 1))) << 2));
          saved = bits;
          bits >>= <u64>entry; left -= entry;
          if (entry & LITERAL) {
            store<u8>(out++, <u8>(entry >> 8));
            bits |= load<u64>(p) << <u64>left; p += 7 - ((left >> 3) & 7); left |= 56;
            entry = load<u32>(table + ((<u32>bits & LENGTH_MASK) << 2));
            continue;
          }
        }
        if (entry & SPECIAL) {
          if (entry & END) block = BETWEEN_BLOCKS;
          else status = REFUSED;
          break;
        }
      }
      let length = (entry >> 16) + <u32>((saved & ((<u64>1 << <u64>entry) - 1)) >> <u64>(entry >> 8));
      bits |= load<u64>(p) << <u64>left; p += 7 - ((left >> 3) & 7); left |= 56;
      entry = load<u32>(table + ((<u32>bits & DISTANCE_MASK) << 2), DISTANCE_TABLE);
      if (entry & SPECIAL) {
        if (!(entry & SUBTABLE)) { status = REFUSED; break; }
        bits >>= <u64>DISTANCE_BITS; left -= DISTANCE_BITS;
        entry = load<u32>(table + ((((entry >> 16) & 0x7fff) + (<u32>bits & ((1 << ((entry >> 8) & 15)) - 1))) << 2), DISTANCE_TABLE);
        if (entry & SPECIAL) { status = REFUSED; break; }
      }
      saved = bits;
      bits >>= <u64>entry; left -= entry;
      const distance = (entry >> 16) + <u32>((saved & ((<u64>1 << <u64>entry) - 1)) >> <u64>(entry >> 8));
      // Loaded before the match is copied, so that the next lookup overlaps with it.
      entry = load<u32>(table + ((<u32>bits & LENGTH_MASK) << 2));
      bits |= load<u64>(p) << <u64>left; p += 7 - ((left >> 3) & 7); left |= 56;
      if (sizeof<T>() == 4) {
        let literals = <u32>(out - firstLiteral);
        for (; literals > MAX_TOKEN_LITERALS; literals -= MAX_TOKEN_LITERALS) {
          store<u32>(tokenAt, MAX_TOKEN_LITERALS); tokenAt += 4;
        }
        store<u32>(tokenAt, token(literals, length, distance)); tokenAt += 4;
        firstLiteral = out;
        if (tokenAt >= tokensLimit) { status = REFUSED; break; }
        continue;
      }
      if (<usize>distance > out - start) { status = REFUSED; break; }
      out = copyMatch(out, <usize>distance, length);
    } while (p < inputLimit && out < limit);
    if (status != FULL) break;
  }
  if (sizeof<T>() == 4) {
    for (let literals = <u32>(out - firstLiteral); literals > 0; ) {
      const taken = min(literals, MAX_TOKEN_LITERALS);
      store<u32>(tokenAt, taken); tokenAt += 4;
      literals -= taken;
    }
    tokens = tokenAt;
  }
  storeBits(bits, left, p);
  output = out;
  return final && position > end ? REFUSED : status;
}

/** Copies a match of at least 1 byte; writes up to 32 bytes after it. @returns the address after it. */
// @ts-ignore: decorator
@inline
export function copyMatch(to: usize, distance: usize, length: u32): usize {
  let from = to - distance;
  const end = to + <usize>length;
  if (distance >= 16) {
    v128.store(to, v128.load(from));
    v128.store(to, v128.load(from, 16), 16);
    for (to += 32; to < end; to += 32) {
      from += 32;
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
    }
  } else if (distance >= 8) {
    for (; to < end; to += 8, from += 8) store<u64>(to, load<u64>(from));
  } else {
    // Each store repeats the bytes, until the distance is that of a whole word.
    let period = distance;
    for (; period < 8; period <<= 1) {
      store<u64>(to, load<u64>(to - period));
      to += period;
    }
    for (; to < end; to += 8) store<u64>(to, load<u64>(to - period));
  }
  return end;
}
