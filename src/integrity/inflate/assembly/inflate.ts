/**
 * DEFLATE (RFC 1951), streaming: compressed bytes come in pieces at INPUT, text goes out in chunks at TEXT, before
 * which stands as much of the earlier text as a distance may reach. Nothing outside these is read or written.
 */
import {
  BAD,
  DISTANCE,
  DISTANCE_BITS,
  DISTANCE_TABLE,
  decode,
  END,
  fillTable,
  LENGTHS,
  LITERAL,
  LITLEN,
  LITLEN_BITS,
  LITLEN_TABLE,
  LONG,
  makeCode,
  MORE,
  OTHER,
  PRECODE,
  pairLiterals,
} from './huffman';

/** Bytes. A distance reaches no farther back (RFC 1951, section 2). */
const WINDOW: usize = 32768;
/** Bytes that a piece of input may have. */
export const INPUT_ROOM: usize = 131072;
/** Bytes that a chunk of text may have. */
export const TEXT_ROOM: usize = 1048576;
export const INPUT: usize = memory.data(131072, 16);
const HISTORY: usize = memory.data(32768 + 1048576, 16);
export const TEXT: usize = HISTORY + WINDOW;

/** Two reads of 8 bytes, the second up to 7 bytes farther on. */
const INPUT_SLACK: usize = 15;
/** Three pairs of literals, the longest match, and 31 bytes more (`copyQuickly`). */
const TEXT_SLACK: usize = 6 + 258 + 31;

// What `run` answers.
const CHUNK_FULL: i32 = 0;
const INPUT_USED: i32 = 1;
const STREAM_ENDED: i32 = 2;
const REFUSED: i32 = 3;
/** Goes on: no answer of `run`. */
const GO: i32 = 4;

// What comes next in the stream.
const BLOCK: u32 = 0;
const STORED_LENGTH: u32 = 1;
const STORED: u32 = 2;
const CODE_COUNTS: u32 = 3;
const PRECODE_LENGTHS: u32 = 4;
const CODE_LENGTHS: u32 = 5;
const SYMBOLS: u32 = 6;

let next: u32 = BLOCK;
let isLast: bool = false;
/** Bits that were read but not used, the next one lowest, and how many they are: fewer than 8 but inside a symbol. */
let bits: u64 = 0;
let known: u32 = 0;
let inputAt: usize = INPUT;
let inputEnd: usize = INPUT;
let textAt: usize = TEXT;
let textEnd: usize = TEXT;
/** Where this stream's text begins, as far as it is still there. */
let floor: usize = TEXT;
/** Bytes of a stored block, or of a match, that are still to come. */
let left: usize = 0;
let distance: usize = 0;
/** Of a block's codes: lengths that are known, of literals and lengths, of distances, of the precode. */
let lengths: u32 = 0;
let litlenLengths: u32 = 0;
let distanceLengths: u32 = 0;
let precodeLengths: u32 = 0;

/** The order of the precode's lengths (RFC 1951, section 3.2.7). */
const PRECODE_ORDER: usize = memory.data<u8>([
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
]);

/** A new stream begins; its text stands behind what is there. */
export function start(): void {
  next = BLOCK;
  isLast = false;
  bits = 0;
  known = 0;
  left = 0;
  floor = textAt;
}

/** The next `length` bytes of the input stand at INPUT. All before must have been used. */
export function feed(length: usize): void {
  inputAt = INPUT;
  inputEnd = INPUT + min(length, INPUT_ROOM);
}

/** Begins a chunk of text, of `length` bytes at most. */
export function beginChunk(length: usize): void {
  memory.copy(HISTORY, textAt - WINDOW, WINDOW);
  const moved = textAt - TEXT;
  floor = floor < HISTORY + moved ? HISTORY : floor - moved;
  textAt = TEXT;
  textEnd = TEXT + min(length, TEXT_ROOM);
}

/** Bytes of the chunk so far. */
export function chunkLength(): usize {
  return textAt - TEXT;
}

/** Bytes of the piece of input that were used. */
export function used(): usize {
  return inputAt - INPUT;
}

/** Goes on until the chunk is full, the input is used up, the stream ends, or can't be one. */
export function run(): i32 {
  let status = GO;
  while (status == GO) status = step();
  return status;
}

function step(): i32 {
  switch (next) {
    case BLOCK:
      return isLast ? STREAM_ENDED : readBlock();
    case STORED_LENGTH:
      return readStoredLength();
    case STORED:
      return copyStored();
    case CODE_COUNTS:
      return readCodeCounts();
    case PRECODE_LENGTHS:
      return readPrecode();
    case CODE_LENGTHS:
      return readCodeLengths();
    default: {
      const isInside = left == 0 && known < 8;
      return isInside && inputAt + INPUT_SLACK < inputEnd && textAt + TEXT_SLACK < textEnd
        ? manySymbols()
        : oneSymbol();
    }
  }
}

/** Reads bytes until `count` bits are known (48 at most); false where the input is used up before. */
function need(count: u32): bool {
  while (known < count) {
    if (inputAt == inputEnd) return false;
    bits |= <u64>load<u8>(inputAt) << known;
    inputAt++;
    known += 8;
  }
  return true;
}

/** The next `count` bits, which are known. */
function take(count: u32): u32 {
  const value = <u32>(bits & ((<u64>1 << count) - 1));
  bits >>= count;
  known -= count;
  return value;
}

function readBlock(): i32 {
  if (!need(3)) return INPUT_USED;
  isLast = take(1) == 1;
  const type = take(2);
  if (type == 0) next = STORED_LENGTH;
  else if (type == 1) useFixedCodes();
  else if (type == 2) next = CODE_COUNTS;
  else return REFUSED;
  return GO;
}

function readStoredLength(): i32 {
  // Fewer than 8 bits are known: those up to the next byte.
  const rest = known & 7;
  if (!need(rest + 32)) return INPUT_USED;
  take(rest);
  const length = take(16);
  if (take(16) != (length ^ 0xffff)) return REFUSED;
  left = length;
  next = STORED;
  return GO;
}

function copyStored(): i32 {
  const length = min(left, min(inputEnd - inputAt, textEnd - textAt));
  memory.copy(textAt, inputAt, length);
  textAt += length;
  inputAt += length;
  left -= length;
  if (left == 0) {
    next = BLOCK;
    return GO;
  }
  return textAt == textEnd ? CHUNK_FULL : INPUT_USED;
}

function useFixedCodes(): void {
  memory.fill(LENGTHS, 8, 144);
  memory.fill(LENGTHS + 144, 9, 112);
  memory.fill(LENGTHS + 256, 7, 24);
  memory.fill(LENGTHS + 280, 8, 8);
  makeCode(LITLEN, LENGTHS, 288);
  memory.fill(LENGTHS, 5, 32);
  makeCode(DISTANCE, LENGTHS, 32);
  fillTables();
}

function fillTables(): void {
  fillTable(LITLEN_TABLE, LITLEN, LITLEN_BITS);
  pairLiterals();
  fillTable(DISTANCE_TABLE, DISTANCE, DISTANCE_BITS);
  next = SYMBOLS;
}

function readCodeCounts(): i32 {
  if (!need(14)) return INPUT_USED;
  litlenLengths = take(5) + 257;
  distanceLengths = take(5) + 1;
  precodeLengths = take(4) + 4;
  if (litlenLengths > 286 || distanceLengths > 30) return REFUSED;
  lengths = 0;
  memory.fill(LENGTHS, 0, 19);
  next = PRECODE_LENGTHS;
  return GO;
}

function readPrecode(): i32 {
  while (lengths < precodeLengths) {
    if (!need(3)) return INPUT_USED;
    store<u8>(LENGTHS + load<u8>(PRECODE_ORDER + lengths), <u8>take(3));
    lengths++;
  }
  if (!makeCode(PRECODE, LENGTHS, 19)) return REFUSED;
  lengths = 0;
  next = CODE_LENGTHS;
  return GO;
}

function readCodeLengths(): i32 {
  const all = litlenLengths + distanceLengths;
  while (lengths < all) {
    const entry = entryAt(PRECODE, 0);
    if (entry & OTHER) return entry == MORE ? INPUT_USED : REFUSED;
    const code = entry & 0xff;
    const symbol = entry >> 16;
    if (symbol < 16) {
      take(code);
      store<u8>(LENGTHS + lengths, <u8>symbol);
      lengths++;
      continue;
    }
    const extra: u32 = symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
    if (!need(code + extra)) return INPUT_USED;
    take(code);
    const repeat = take(extra) + (symbol == 18 ? 11 : 3);
    if (lengths + repeat > all || (symbol == 16 && lengths == 0)) return REFUSED;
    const length: u8 = symbol == 16 ? load<u8>(LENGTHS + lengths - 1) : 0;
    memory.fill(LENGTHS + lengths, length, repeat);
    lengths += repeat;
  }
  // A block without an end isn't one.
  if (load<u8>(LENGTHS, 256) == 0) return REFUSED;
  if (!makeCode(LITLEN, LENGTHS, litlenLengths)) return REFUSED;
  if (!makeCode(DISTANCE, LENGTHS + litlenLengths, distanceLengths)) return REFUSED;
  fillTables();
  return GO;
}

/** The entry of the code behind `skip` bits, once all its bits are known; MORE where the input is used up before. */
function entryAt(code: usize, skip: u32): u32 {
  let entry = MORE;
  while (need(skip + 1)) {
    entry = decode(code, bits >> skip, known - skip);
    if (entry != MORE && ((entry & OTHER) != 0 || skip + (entry & 0xff) <= known)) return entry;
    if (!need(known + 1)) return MORE;
  }
  return MORE;
}

/** The number that an entry stands for, its code beginning at the lowest of `from`. */
function valueOf(entry: u32, from: u64): usize {
  const extra = (from & ((<u64>1 << (entry & 0xff)) - 1)) >> ((entry >> 8) & 15);
  return <usize>(entry >> 16) + <usize>extra;
}

/** One symbol, whole or not at all: at the ends of the input and of the chunk. */
function oneSymbol(): i32 {
  if (left > 0) return copyMatch();
  const entry = entryAt(LITLEN, 0);
  const codeBits = entry & 0xff;
  if (entry & LITERAL) {
    if (textAt == textEnd) return CHUNK_FULL;
    store<u8>(textAt, <u8>(entry >> 16));
    textAt++;
    take(codeBits);
    return GO;
  }
  if (entry & OTHER) {
    if (entry == MORE) return INPUT_USED;
    if (entry == BAD) return REFUSED;
    take(codeBits);
    next = BLOCK;
    return GO;
  }
  const far = entryAt(DISTANCE, codeBits);
  if (far == MORE) return INPUT_USED;
  if (far == BAD) return REFUSED;
  if (textAt == textEnd) return CHUNK_FULL;
  distance = valueOf(far, bits >> codeBits);
  if (distance > textAt - floor) return REFUSED;
  left = valueOf(entry, bits);
  take(codeBits + (far & 0xff));
  return GO;
}

/** As much of a match as the chunk has room for. */
function copyMatch(): i32 {
  for (; left > 0; left--) {
    if (textAt == textEnd) return CHUNK_FULL;
    store<u8>(textAt, load<u8>(textAt - distance));
    textAt++;
  }
  return GO;
}

/** Symbols as long as there is slack on both sides, or until the block ends. */
function manySymbols(): i32 {
  let buffer = bits;
  let count = known;
  let at = inputAt;
  let out = textAt;
  const lastAt = inputEnd - INPUT_SLACK;
  const lastOut = textEnd - TEXT_SLACK;
  let status = GO;
  while (at < lastAt && out < lastOut) {
    buffer |= load<u64>(at) << count;
    at += (63 - count) >> 3;
    count |= 56;
    // 56 bits hold three entries of the table, of 11 bits each, and a length.
    let entry = litlenEntry(buffer);
    if (entry & LITERAL) {
      store<u16>(out, <u16>(entry >> 16));
      out += (entry >> 8) & 3;
      buffer >>= entry & 0xff;
      count -= entry & 0xff;
      entry = litlenEntry(buffer);
      if (entry & LITERAL) {
        store<u16>(out, <u16>(entry >> 16));
        out += (entry >> 8) & 3;
        buffer >>= entry & 0xff;
        count -= entry & 0xff;
        entry = litlenEntry(buffer);
      }
    }
    if (entry & LITERAL) {
      store<u16>(out, <u16>(entry >> 16));
      out += (entry >> 8) & 3;
      buffer >>= entry & 0xff;
      count -= entry & 0xff;
      continue;
    }
    if (entry & OTHER) {
      if (entry == LONG) entry = decode(LITLEN, buffer, 15);
      if (entry & LITERAL) {
        store<u8>(out, <u8>(entry >> 16));
        out++;
        buffer >>= entry & 0xff;
        count -= entry & 0xff;
        continue;
      }
      if (entry & OTHER) {
        if (entry == BAD) status = REFUSED;
        else next = BLOCK;
        buffer >>= entry & 0xff;
        count -= entry & 0xff;
        break;
      }
    }
    const length = valueOf(entry, buffer);
    buffer >>= entry & 0xff;
    count -= entry & 0xff;
    buffer |= load<u64>(at) << count;
    at += (63 - count) >> 3;
    count |= 56;
    entry = load<u32>(DISTANCE_TABLE + (<usize>(<u32>buffer & ((1 << DISTANCE_BITS) - 1)) << 2));
    if (entry == LONG) entry = decode(DISTANCE, buffer, 15);
    if (entry == BAD) {
      status = REFUSED;
      break;
    }
    const back = valueOf(entry, buffer);
    if (back > out - floor) {
      status = REFUSED;
      break;
    }
    buffer >>= entry & 0xff;
    count -= entry & 0xff;
    copyQuickly(out, back, length);
    out += length;
  }
  // Whole bytes that weren't used go back.
  at -= count >> 3;
  count &= 7;
  bits = buffer & ((<u64>1 << count) - 1);
  known = count;
  inputAt = at;
  textAt = out;
  return status;
}

function litlenEntry(buffer: u64): u32 {
  return load<u32>(LITLEN_TABLE + (<usize>(<u32>buffer & ((1 << LITLEN_BITS) - 1)) << 2));
}

/** A match, and up to 31 bytes more of whatever stands there: those are written over, or never given. */
function copyQuickly(to: usize, back: usize, length: usize): void {
  const end = to + length;
  let from = to - back;
  if (back >= 16) {
    v128.store(to, v128.load(from));
    v128.store(to, v128.load(from, 16), 16);
    for (to += 32, from += 32; to < end; to += 32, from += 32) {
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
    }
  } else if (back >= 8) for (; to < end; to += 8, from += 8) store<u64>(to, load<u64>(from));
  else if (back == 1) memory.fill(to, load<u8>(from), length);
  else for (; to < end; to++, from++) store<u8>(to, load<u8>(from));
}
