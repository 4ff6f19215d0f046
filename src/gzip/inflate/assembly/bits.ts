// The bits of a stream that are not used up yet: `count` bits in `buffer`, followed by the bytes at `position`.
// The loops keep them in local variables. Refilling reads 8 bytes at once, so memory after the input must be readable.

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
export function storeBits(newBuffer: u64, newCount: u32, newPosition: usize): void {
  newCount &= 63;
  const rest = newCount & 7;
  setBits(newBuffer & ((<u64>1 << <u64>rest) - 1), rest, newPosition - (newCount >> 3));
}
