// Ids of trades in slots of the same size: a byte with the length, then the text.
import { copy } from '../../../format/assembly/bytes';
import { isAscii } from '../../../format/columns/assembly/texts';

/** The longest id that readers accept. */
const MAX_ID: i32 = 36;
const SLOT: usize = 37;

const PRIME: u64 = 0x100000001b3;
const UNIT_SEPARATOR: u64 = 0x1f;

/**
 * Stores `count` texts in slots; one that is too long or not ASCII is left empty. Returns the number of empty slots.
 * @param indices positions of the texts; 0 if each row has its own.
 */
export function fillIdSlots(bytes: usize, offsets: usize, indices: usize, count: i32, slots: usize): i32 {
  let empty = 0;
  for (let i = 0; i < count; i++) {
    const index = indices == 0 ? i : load<i32>(indices + (<usize>i << 2));
    const offset = offsets + (<usize>index << 2);
    const start = load<i32>(offset);
    const length = load<i32>(offset, 4) - start;
    const p = bytes + start;
    const isUsable = length <= MAX_ID && isAscii(p, length);
    const slot = slots + <usize>i * SLOT;
    store<u8>(slot, isUsable ? <u8>length : 0);
    // Bytes after the text belong to the next slot, which is filled later.
    if (isUsable) copy(slot + 1, p, length);
    empty += <i32>(!isUsable || length == 0);
  }
  return empty;
}

/**
 * Fills empty slots with ids that are derived from the trade (docs/spec/nautilus-catalog.md#trade-ids).
 * @param seeds hash of each symbol and a separator, by its position in `symbols`.
 * @param sideOffsets offsets of the texts of sides, by their position in `sideIndices`.
 */
export function deriveIds(
  slots: usize,
  count: i32,
  seeds: usize,
  symbols: usize,
  times: usize,
  prices: usize,
  amounts: usize,
  sideBytes: usize,
  sideOffsets: usize,
  sideIndices: usize,
): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    const slot = slots + i * SLOT;
    if (load<u8>(slot) != 0) continue;
    let hash = load<u64>(seeds + (<usize>load<u32>(symbols + (i << 2)) << 3));
    hash = hashByte(hashEight(hash, load<u64>(times + (i << 3))), UNIT_SEPARATOR);
    hash = hashByte(hashEight(hash, load<u64>(prices + (i << 3))), UNIT_SEPARATOR);
    hash = hashByte(hashEight(hash, load<u64>(amounts + (i << 3))), UNIT_SEPARATOR);
    const side = sideOffsets + (<usize>load<u32>(sideIndices + (i << 2)) << 2);
    const end = load<i32>(side, 4);
    for (let p = load<i32>(side); p < end; p++) hash = hashByte(hash, load<u8>(sideBytes + p));
    store<u8>(slot, 16);
    for (let digit = 0; digit < 16; digit++) {
      const value = <u8>((hash >> ((15 - digit) << 2)) & 15);
      store<u8>(slot + 1 + digit, value < 10 ? 48 + value : 87 + value);
    }
  }
}

// @ts-ignore: decorator
@inline
function hashByte(hash: u64, byte: u64): u64 {
  return (hash ^ byte) * PRIME;
}

// @ts-ignore: decorator
@inline
function hashEight(hash: u64, value: u64): u64 {
  for (let shift = 0; shift < 64; shift += 8) hash = hashByte(hash, (value >> shift) & 0xff);
  return hash;
}

/** Copies the texts of slots to `bytes`, with their offsets. */
export function readIdSlots(slots: usize, count: i32, bytes: usize, offsets: usize): void {
  let at = 0;
  store<i32>(offsets, 0);
  for (let i = 0; i < count; i++) {
    const slot = slots + <usize>i * SLOT;
    const length = <i32>load<u8>(slot);
    copy(bytes + at, slot + 1, length);
    at += length;
    store<i32>(offsets + (<usize>(i + 1) << 2), at);
  }
}
