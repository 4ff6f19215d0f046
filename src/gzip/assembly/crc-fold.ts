// Shortens bytes to some kilobytes with the same CRC-32, with nothing but additions.
//
// As a polynomial over GF(2), the generator of CRC-32 divides x^(8 * 4018) + x^(8 * 2091) + x^(8 * 1837) + 1. So a byte
// can be removed if it is added to the bytes that are 1927, 2181 and 4018 after it. No other three distances up to 4500
// are far enough apart for the processor's store buffer.

const FIRST: usize = 1927;
const SECOND: usize = 2181;
const THIRD: usize = 4018;

/** Bytes that are folded at once. */
const STEP: usize = 64;
/** Folded bytes before a block, to which its bytes refer. */
const HISTORY: usize = 4032;
/** Stays in the processor's first cache, with the history. */
const BLOCK: usize = 12288;
/** Space after a block and after the shortened bytes. */
const SLACK: usize = 16;

/** Address of the history, the block, and the shortened bytes. */
let history: usize = 0;

/** Prepares memory from address `base` on. @returns the address after it. */
export function setUpFold(base: usize): usize {
  history = (base + 15) & ~15;
  return shortenedBytes() + THIRD + STEP + SLACK;
}

/** Address of the bytes from `shortenBytes`. */
export function shortenedBytes(): usize {
  return history + HISTORY + BLOCK + SLACK;
}

/**
 * Shortens at least 8192 bytes.
 * @param state of the CRC-32 before them, without the inversion at the end. The shortened bytes need state 0.
 * @returns the address after the shortened bytes.
 */
export function shortenBytes(from: usize, to: usize, state: u32): usize {
  const block = history + HISTORY;
  memory.fill(history, 0, HISTORY);
  const last = to - THIRD;
  let end = block + STEP;
  foldStep(block, from);
  store<u32>(block, load<u32>(block) ^ state);
  from += STEP;
  for (; from + STEP <= last; from += STEP, end += STEP) {
    if (end == block + BLOCK) {
      memory.copy(history, end - HISTORY, HISTORY);
      end = block;
    }
    foldStep(end, from);
  }
  const shortened = shortenedBytes();
  const length = to - from;
  memory.copy(shortened, from, length);
  v128.store(end, i64x2.splat(0));
  addTo(shortened, end - FIRST, FIRST);
  addTo(shortened, end - SECOND, SECOND);
  addTo(shortened, end - THIRD, THIRD);
  return shortened + length;
}

// @ts-ignore: decorator
@inline
function foldStep(to: usize, from: usize): void {
  for (let i: usize = 0; i < STEP; i += 16) {
    const near = v128.xor(v128.load(to + i - FIRST), v128.load(to + i - SECOND));
    const far = v128.xor(v128.load(to + i - THIRD), v128.load(from + i));
    v128.store(to + i, v128.xor(near, far));
  }
}

/** Adds `length` bytes, and up to 15 more, which must be zero. */
function addTo(to: usize, from: usize, length: usize): void {
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.xor(v128.load(to + i), v128.load(from + i)));
}
