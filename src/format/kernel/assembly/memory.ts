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
  if (end > <u64>memory.size() << 16 && !grow(end)) return 0;
  top = <usize>end;
  return at;
}

/** By a quarter and 16 MiB at least, since it takes a while; what isn't touched takes no memory. */
function grow(end: u64): bool {
  const size = <u64>memory.size();
  const needed = ((end + 0xffff) >> 16) - size;
  const ample = min<u64>(max<u64>(needed, max<u64>(size >> 2, 256)), (END >> 16) - size);
  return memory.grow(<i32>ample) >= 0 || memory.grow(<i32>needed) >= 0;
}

/** A larger region that begins with the `used` bytes at `from`; 0 where there is no room. */
export function enlarge(from: usize, used: usize, bytes: u64): usize {
  const to = allocate(bytes);
  if (to != 0) memory.copy(to, from, used);
  return to;
}
