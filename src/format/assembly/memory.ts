// Allocates regions of the memory one after the other. None is freed: a region that grows abandons its old
// place.

/** One page less than 4 GiB: a typed array over 4 GiB exceeds the limit of some engines by one byte. */
const END: u64 = 65535 << 16;

/**
 * Bytes after each region that may be read and written, for loops that process 16 bytes at a time. It also
 * keeps columns on different cache lines: lanes of 2^17 rows would share one set.
 */
const SLACK: u64 = 192;

let top: usize = __heap_base;

/** Allocates a region of zeros; 0 if the memory is full. */
export function allocate(bytes: u64): usize {
  const at = (top + 15) & ~15;
  const end = <u64>at + bytes + SLACK;
  if (bytes > END || end > END) return 0;
  if (end > <u64>memory.size() << 16 && !grow(end)) return 0;
  top = <usize>end;
  return at;
}

/**
 * Doubles up to 16 MiB, then by that or a quarter, since growing is slow. Small memories stay small: although untouched
 * pages take no memory, V8 collects garbage after some tens of MiB of new WebAssembly memory.
 */
function grow(end: u64): bool {
  const size = <u64>memory.size();
  const needed = ((end + 0xffff) >> 16) - size;
  const usual = max<u64>(size >> 2, min<u64>(size, 256));
  const preferred = min<u64>(max<u64>(needed, usual), (END >> 16) - size);
  return memory.grow(<i32>preferred) >= 0 || memory.grow(<i32>needed) >= 0;
}

/** Allocates a larger region and copies `used` bytes from `from`; 0 if the memory is full. */
export function enlarge(from: usize, used: usize, bytes: u64): usize {
  const to = allocate(bytes);
  if (to != 0) memory.copy(to, from, used);
  return to;
}
