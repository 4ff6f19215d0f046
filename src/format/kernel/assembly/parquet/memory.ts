// Regions of the memory, cut off one behind the other. None is given back: what grows leaves its old place behind.

/** One page less than 4 GiB, since a typed array over all of that would be one byte too long for some engines. */
const END: u64 = 65535 << 16;

/**
 * Behind each region so many bytes may be read and written without harm, for loops that take 16 bytes at a time.
 * It keeps columns off one another's cache lines too: lanes of 2^17 rows would share one set.
 */
const SLACK: u64 = 192;

let top: usize = __heap_base;

/** A region of zeros; 0 where the memory has no room for it. */
export function allocate(bytes: u64): usize {
  const at = (top + 15) & ~15;
  const end = <u64>at + bytes + SLACK;
  if (bytes > END || end > END) return 0;
  const missing = <i32>((end + 0xffff) >> 16) - memory.size();
  if (missing > 0 && memory.grow(missing) < 0) return 0;
  top = <usize>end;
  return at;
}

/** A larger region that begins with the `used` bytes at `from`; 0 where there is no room. */
export function enlarge(from: usize, used: usize, bytes: u64): usize {
  const to = allocate(bytes);
  if (to != 0) memory.copy(to, from, used);
  return to;
}
