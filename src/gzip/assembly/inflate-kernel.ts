// Inflates a stream in this thread.
import { decode, output, position } from './decode';
import { setUpFold } from './crc-fold';
import { setUpTables } from './tables';
export { shortenedBytes, shortenBytes } from './crc-fold';
export { startAt, continueAt } from './decode';

const NO_STOP: u64 = u64.MAX_VALUE;

/** Prepares the tables from address `base` on. @returns the address after them. */
export function setUp(base: usize): usize {
  return setUpFold(setUpTables(base));
}

/** Decodes text to address `to`; parameters and result as those of `decode`. */
export function inflate(end: usize, final: bool, start: usize, to: usize, limit: usize): i32 {
  return decode<u8>(end, final, start, to, limit, NO_STOP, 0, 0);
}

/** Address after the input that was used. */
export function usedTo(): usize {
  return position;
}

/** Address after the text. */
export function writtenTo(): usize {
  return output;
}
