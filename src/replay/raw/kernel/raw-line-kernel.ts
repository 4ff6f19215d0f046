import { createOwnMemory, instantiateSync, WASM_PAGE_BYTES } from '../../../base/wasm.js';
import { MESSAGE_START, type RawBatch, TIMESTAMP_BYTES } from '../../../raw-feeds/raw-batch.js';
import { WRITE_BYTES } from '../../line-writer.js';

/** The text before the local timestamp, between it and the message, and after the message. */
export const LINE_HEAD = Buffer.from('{"localTimestamp":"');
export const LINE_MIDDLE = Buffer.from('","message":');
export const LINE_END = Buffer.from('}\n');

/** Bytes that formatting adds to a source line, which is counted without its LF. */
export const ADDED_BYTES =
  LINE_HEAD.length + TIMESTAMP_BYTES + LINE_MIDDLE.length - MESSAGE_START + LINE_END.length;

/** Exports of assembly/raw-line-kernel.ts, where they are documented. */
interface RawLineModule {
  writeLines(text: number, starts: number, ends: number, count: number, out: number): number;
}

/** Maximum number of lines in a write. */
const MAX_LINES = Math.floor(WRITE_BYTES / (MESSAGE_START + ADDED_BYTES));
/** Bytes after a region that 16-byte loads and stores may touch. */
const SLACK_BYTES = 64;

/** Addresses in the kernel's memory; the kernel has the same two for the texts. */
const HEAD_ADDRESS = 0;
const MIDDLE_ADDRESS = 32;
const STARTS_ADDRESS = WASM_PAGE_BYTES;
const ENDS_ADDRESS = STARTS_ADDRESS + 4 * MAX_LINES;
const TEXT_ADDRESS = ENDS_ADDRESS + 4 * MAX_LINES;
const OUT_ADDRESS = TEXT_ADDRESS + WRITE_BYTES + SLACK_BYTES;
const MEMORY_BYTES = OUT_ADDRESS + WRITE_BYTES + SLACK_BYTES;

/** Created once a thread; it has no state between calls. */
let writeRun: ReturnType<typeof createWriter> | undefined;

/**
 * Writes lines of a batch into `out` from position `at`, each as `{"localTimestamp":"…","message":…}` with
 * the message's bytes unchanged. Neither the source text nor the result may be larger than `WRITE_BYTES`.
 * @returns the position after the last line.
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
  const memory = createOwnMemory(MEMORY_BYTES);
  const url = new URL('./raw-line-kernel.wasm', import.meta.url);
  const kernel = instantiateSync<RawLineModule>(url, memory);
  const bytes = new Uint8Array(memory.buffer);
  const positions = new Int32Array(memory.buffer);
  bytes.set(LINE_HEAD, HEAD_ADDRESS);
  bytes.set(LINE_MIDDLE, MIDDLE_ADDRESS);
  return ({ text, starts, ends }, start, end, out, at) => {
    const from = starts[start] as number;
    bytes.set(text.subarray(from, ends[end - 1]), TEXT_ADDRESS);
    positions.set(starts.subarray(start, end), STARTS_ADDRESS / 4);
    positions.set(ends.subarray(start, end), ENDS_ADDRESS / 4);
    const until = kernel.writeLines(
      TEXT_ADDRESS - from,
      STARTS_ADDRESS,
      ENDS_ADDRESS,
      end - start,
      OUT_ADDRESS,
    );
    out.set(bytes.subarray(OUT_ADDRESS, until), at);
    return at + until - OUT_ADDRESS;
  };
}
