import type { RawBatch } from '../../../feeds/read/raw-batch.js';
import { MESSAGE_START, TIMESTAMP_BYTES } from '../../../feeds/read/raw-line.js';
import { createOwnMemory, instantiateSync, WASM_PAGE_BYTES } from '../../../format/kernel/wasm.js';
import { WRITE_BYTES } from '../../line-writer.js';

/** What stands before a local timestamp, between it and the message, and behind that. */
export const LINE_HEAD = Buffer.from('{"localTimestamp":"');
export const LINE_MIDDLE = Buffer.from('","message":');
export const LINE_END = Buffer.from('}\n');

/** Bytes that a line is longer by than what it is made of, of which its LF is no part. */
export const ADDED_BYTES =
  LINE_HEAD.length + TIMESTAMP_BYTES + LINE_MIDDLE.length - MESSAGE_START + LINE_END.length;

/** What assembly/raw-line-kernel.ts exports; what it does is told there. */
interface RawLineModule {
  writeLines(text: number, starts: number, ends: number, count: number, out: number): number;
}

/** Lines that a write has at most. */
const MAX_LINES = Math.floor(WRITE_BYTES / (MESSAGE_START + ADDED_BYTES));
/** Bytes behind a region that are read or written with its last ones. */
const SLACK_BYTES = 64;

/** Addresses: of the two texts those that the kernel knows. */
const HEAD_AT = 0;
const MIDDLE_AT = 32;
const STARTS = WASM_PAGE_BYTES;
const ENDS = STARTS + 4 * MAX_LINES;
const TEXT = ENDS + 4 * MAX_LINES;
const OUT = TEXT + WRITE_BYTES + SLACK_BYTES;
const MEMORY = OUT + WRITE_BYTES + SLACK_BYTES;

/** One a thread: it keeps nothing from one call to the next. */
let writeRun: ReturnType<typeof createWriter> | undefined;

/**
 * Puts lines of a batch into `out`, from `at` on, as `{"localTimestamp":"…","message":…}` each; messages as they are,
 * byte for byte. Neither their text nor what they become may be longer than a write.
 * @returns the position behind them.
 */
export function writeRawLines(
  batch: RawBatch,
  start: number,
  end: number,
  out: Uint8Array,
  at: number,
): number {
  writeRun ??= createWriter();
  return writeRun(batch, start, end, out, at);
}

function createWriter(): typeof writeRawLines {
  const memory = createOwnMemory(MEMORY);
  const url = new URL('./raw-line-kernel.wasm', import.meta.url);
  const kernel = instantiateSync<RawLineModule>(url, memory);
  const bytes = new Uint8Array(memory.buffer);
  const positions = new Int32Array(memory.buffer);
  bytes.set(LINE_HEAD, HEAD_AT);
  bytes.set(LINE_MIDDLE, MIDDLE_AT);
  return ({ text, starts, ends }, start, end, out, at) => {
    const from = starts[start] as number;
    bytes.set(text.subarray(from, ends[end - 1]), TEXT);
    positions.set(starts.subarray(start, end), STARTS / 4);
    positions.set(ends.subarray(start, end), ENDS / 4);
    const until = kernel.writeLines(TEXT - from, STARTS, ENDS, end - start, OUT);
    out.set(bytes.subarray(OUT, until), at);
    return at + until - OUT;
  };
}
