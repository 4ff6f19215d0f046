// Turns a stream into tokens, in any thread and from the middle of the stream on, and tokens into text, in order.
// All instances have one shared memory.
import { setUpSearch } from './blocks';
import { copyMatch, decode, output, position, stopped, tokens } from './decode';
import { setUpFold } from './crc-fold';
import { setUpTables } from './tables';
export { findBlock } from './blocks';
export { shortenedBytes, shortenBytes } from './crc-fold';
export { continueAt, startAt } from './decode';

/** Addresses after the tokens, literals and text that `replayTokens` used and wrote. */
let replayedTokens: usize = 0;
let replayedLiterals: usize = 0;
let replayedText: usize = 0;

/** Prepares the tables of an instance from address `base` on. @returns the address after them. */
export function setUp(base: usize): usize {
  return setUpFold(setUpSearch(setUpTables(base)));
}

/** Decodes text to address `to`; parameters and result as those of `decode`. */
export function inflate(end: usize, final: bool, start: usize, to: usize, limit: usize, stopBit: u64): i32 {
  return decode<u8>(end, final, start, to, limit, stopBit, 0, 0);
}

/** Decodes tokens and literals; parameters and result as those of `decode`. */
export function decodeTokens(end: usize, final: bool, to: usize, limit: usize, stopBit: u64, tokensTo: usize, tokensLimit: usize): i32 {
  return decode<u32>(end, final, 0, to, limit, stopBit, tokensTo, tokensLimit);
}

/**
 * Writes the text of tokens to address `to`, until they end or `limit` is passed, by up to 600 bytes.
 * @param start address of the stream's first text in memory.
 * @returns false for a distance that reaches before `start`.
 */
export function replayTokens(from: usize, end: usize, literals: usize, start: usize, to: usize, limit: usize): bool {
  let isValid = true;
  while (from < end && to < limit) {
    const token = load<u32>(from);
    from += 4;
    const count = <usize>(token & 255);
    v128.store(to, v128.load(literals));
    for (let i: usize = 16; i < count; i += 16) v128.store(to + i, v128.load(literals + i));
    to += count;
    literals += count;
    const length = (token >> 8) & 511;
    const distance = <usize>(token >> 17) + 1;
    if (distance > to - start && length > 0) { isValid = false; break; }
    to = copyMatch(to, distance, length);
  }
  replayedTokens = from;
  replayedLiterals = literals;
  replayedText = to;
  return isValid;
}

/** Address after the input that was used. */
export function usedTo(): usize {
  return position;
}

/** Address after the text or literals of `inflate` and `decodeTokens`. */
export function writtenTo(): usize {
  return output;
}

/** Address after the tokens of `decodeTokens`. */
export function tokensTo(): usize {
  return tokens;
}

/** The bit at which the block begins before which decoding stopped. */
export function stoppedAt(): u64 {
  return stopped;
}

export function replayedTokensTo(): usize {
  return replayedTokens;
}

export function replayedLiteralsTo(): usize {
  return replayedLiterals;
}

export function replayedTo(): usize {
  return replayedText;
}
