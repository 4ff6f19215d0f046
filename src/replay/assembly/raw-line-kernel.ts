// Converts lines of the raw feeds API to lines of a replay, 16 bytes at a time, without validation. The
// caller ensures that the two texts are at HEAD and MIDDLE, that 16 bytes after the lines' text are readable,
// and that 48 bytes after the output are writable.
import { copy } from '../../format/assembly/bytes';

/** Addresses and lengths of the texts before a local timestamp, and between it and the message. */
const HEAD: usize = 0;
const HEAD_BYTES: usize = 19;
const MIDDLE: usize = 32;
const MIDDLE_BYTES: usize = 12;

const TIMESTAMP_BYTES: usize = 28;
const MESSAGE_START: usize = 29;
/** A closing brace and an LF. */
const END: u16 = 0x0a7d;

/**
 * Writes lines to `out`. `starts` and `ends` hold 4-byte positions relative to `text`. The address `text` may
 * be below 0 if only a later part of the text is in memory.
 * @returns the address after the last line.
 */
export function writeLines(text: isize, starts: usize, ends: usize, count: i32, out: usize): usize {
  let to = out;
  for (let line = 0; line < count; line++) {
    const from = <usize>(text + load<i32>(starts + 4 * line));
    const length = <usize>(text + load<i32>(ends + 4 * line)) - from - MESSAGE_START;
    v128.store(to, v128.load(HEAD));
    v128.store(to + 16, v128.load(HEAD + 16));
    to += HEAD_BYTES;
    v128.store(to, v128.load(from));
    v128.store(to + 12, v128.load(from + 12));
    to += TIMESTAMP_BYTES;
    v128.store(to, v128.load(MIDDLE));
    to += MIDDLE_BYTES;
    copy(to, from + MESSAGE_START, <i32>length);
    to += length;
    store<u16>(to, END);
    to += 2;
  }
  return to;
}
