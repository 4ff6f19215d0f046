// Lines of the raw data API as lines of a replay, 16 bytes at a time. It judges nothing.
//
// What the caller sees to: the two texts stand at HEAD and MIDDLE; 16 bytes behind the lines' text may be read, and 48
// behind the output written.
import { copy } from '../../../../format/kernel/assembly/bytes';

/** What stands before a local timestamp, and between it and the message: so many bytes each. */
const HEAD: usize = 0;
const HEAD_BYTES: usize = 19;
const MIDDLE: usize = 32;
const MIDDLE_BYTES: usize = 12;

const TIMESTAMP_BYTES: usize = 28;
const MESSAGE_START: usize = 29;
/** A brace and an LF. */
const END: u16 = 0x0a7d;

/**
 * Writes lines to `out`. Their beginnings and ends, 4 bytes each, are positions in a text that lies at `text`; it may
 * lie before the memory's start, where only a later part of it is there.
 * @returns the address behind the last one.
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
