// Texts as a column chunk holds them: once more a trial for a dictionary, PLAIN bytes, the least and the greatest.
import { isHopeless } from './doubles';
import { firstBytes, hashOf, isSame, secondBytes } from './texts';

/**
 * Puts where each distinct text first occurs at `firsts`, and for each text its position among them at `indices`;
 * gives their number, -1 when they would be more than `most`. `slots` is a power of two, more than `most`.
 */
export function distinctTexts(
  bytes: usize,
  offsets: usize,
  count: i32,
  most: i32,
  slots: usize,
  slotCount: i32,
  firsts: usize,
  indices: usize,
): i32 {
  memory.fill(slots, 0, <usize>slotCount << 2);
  const mask = slotCount - 1;
  let size = 0;
  for (let i = 0; i < count; i++) {
    const offset = load<i32>(offsets + (<usize>i << 2));
    const length = load<i32>(offsets + (<usize>(i + 1) << 2)) - offset;
    const p = bytes + offset;
    const hash = hashOf(firstBytes(p, length), secondBytes(p, length), p, length);
    let slot = <i32>(hash >> 7) & mask;
    let index = load<i32>(slots + (<usize>slot << 2)) - 1;
    while (index >= 0 && !isText(bytes, offsets, load<i32>(firsts + (<usize>index << 2)), p, length)) {
      slot = (slot + 1) & mask;
      index = load<i32>(slots + (<usize>slot << 2)) - 1;
    }
    if (index < 0) {
      if (size == most || isHopeless(size, i)) return -1;
      index = size++;
      store<i32>(slots + (<usize>slot << 2), size);
      store<i32>(firsts + (<usize>index << 2), i);
    }
    store<i32>(indices + (<usize>i << 2), index);
  }
  return size;
}

// @ts-ignore: decorator
@inline
function isText(bytes: usize, offsets: usize, i: i32, p: usize, length: i32): bool {
  const offset = load<i32>(offsets + (<usize>i << 2));
  if (load<i32>(offsets + (<usize>(i + 1) << 2)) - offset != length) return false;
  return isSame(bytes + offset, p, length);
}

/** Puts the texts at the positions `picked` end to end, with their offsets, at `toBytes` and `toOffsets`. */
export function pickTexts(
  bytes: usize,
  offsets: usize,
  picked: usize,
  count: i32,
  toBytes: usize,
  toOffsets: usize,
): void {
  let at = 0;
  store<i32>(toOffsets, 0);
  for (let i = 0; i < count; i++) {
    const offset = offsets + (<usize>load<i32>(picked + (<usize>i << 2)) << 2);
    const from = load<i32>(offset);
    const length = load<i32>(offset, 4) - from;
    memory.copy(toBytes + at, bytes + from, length);
    at += length;
    store<i32>(toOffsets + (<usize>(i + 1) << 2), at);
  }
}

/** Each text with its length in four bytes before it (PLAIN = 0); gives where it ends. */
export function writePlainText(out: usize, bytes: usize, offsets: usize, count: i32): usize {
  for (let i = 0; i < count; i++) {
    const offset = load<i32>(offsets + (<usize>i << 2));
    const length = load<i32>(offsets + (<usize>(i + 1) << 2)) - offset;
    store<u32>(out, length);
    out += 4;
    memory.copy(out, bytes + offset, length);
    out += length;
  }
  return out;
}

/** Where the least and the greatest text stand, by their bytes; of the last call. */
export let leastText: i32 = 0;
export let greatestText: i32 = 0;

/** Finds the least and the greatest of some texts, at least one. */
export function findTextRange(bytes: usize, offsets: usize, count: i32): void {
  leastText = 0;
  greatestText = 0;
  let least = prefixOf(bytes, offsets, 0);
  let greatest = least;
  for (let i = 1; i < count; i++) {
    const prefix = prefixOf(bytes, offsets, i);
    if (prefix < least || (prefix == least && isLess(bytes, offsets, i, leastText))) {
      least = prefix;
      leastText = i;
    } else if (prefix > greatest || (prefix == greatest && isLess(bytes, offsets, greatestText, i))) {
      greatest = prefix;
      greatestText = i;
    }
  }
}

/** The first eight bytes as a number that orders as they do; a shorter text as if zeros came behind it. */
// @ts-ignore: decorator
@inline
function prefixOf(bytes: usize, offsets: usize, i: i32): u64 {
  const offset = load<i32>(offsets + (<usize>i << 2));
  const length = load<i32>(offsets + (<usize>(i + 1) << 2)) - offset;
  return bswap<u64>(firstBytes(bytes + offset, length));
}

function isLess(bytes: usize, offsets: usize, a: i32, b: i32): bool {
  const offsetA = load<i32>(offsets + (<usize>a << 2));
  const offsetB = load<i32>(offsets + (<usize>b << 2));
  const lengthA = load<i32>(offsets + (<usize>(a + 1) << 2)) - offsetA;
  const lengthB = load<i32>(offsets + (<usize>(b + 1) << 2)) - offsetB;
  const shorter = min(lengthA, lengthB);
  for (let i: i32 = 0; i < shorter; i += 16) {
    const same = i8x16.eq(v128.load(bytes + offsetA + i), v128.load(bytes + offsetB + i));
    const different = i8x16.bitmask(same) ^ 0xffff;
    if (different == 0) continue;
    const at = i + ctz(different);
    if (at >= shorter) break;
    return load<u8>(bytes + offsetA + at) < load<u8>(bytes + offsetB + at);
  }
  return lengthA < lengthB;
}
