import { copyBytes } from '../base/memory.js';
import { createOwnMemory, instantiateSync, startIfSupported, WASM_PAGE_BYTES } from '../base/wasm.js';

const LF = 0x0a;

/** Bytes that are copied to the kernel's memory at once: they stay in the processor's cache. */
const PART_BYTES = 2 * WASM_PAGE_BYTES;
/** The first page is the kernel's own. */
const PART_ADDRESS = WASM_PAGE_BYTES;

/** Exports of assembly/line-counter.ts, where they are documented. */
interface LineCounterModule {
  countLineFeeds(from: number, to: number): number;
}

let counter: ((chunk: Buffer) => number) | undefined;

/** Counts the line feeds of a chunk. */
export function countLines(chunk: Buffer): number {
  counter ??= startIfSupported(createKernelCounter) ?? countSlowly;
  return counter(chunk);
}

function createKernelCounter(): (chunk: Buffer) => number {
  const memory = createOwnMemory(PART_ADDRESS + PART_BYTES);
  const url = new URL('./line-counter.wasm', import.meta.url);
  const { countLineFeeds } = instantiateSync<LineCounterModule>(url, memory);
  const bytes = Buffer.from(memory.buffer);
  return (chunk) => {
    let count = 0;
    for (let at = 0; at < chunk.length; at += PART_BYTES) {
      const part = chunk.subarray(at, at + PART_BYTES);
      copyBytes(part, bytes, PART_ADDRESS);
      count += countLineFeeds(PART_ADDRESS, PART_ADDRESS + part.length);
    }
    return count;
  };
}

/** For a process that cannot run the kernel: it takes several times as long, and more for short lines. */
function countSlowly(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) count++;
  return count;
}

/**
 * Rows of a day file, without the header.
 * @param lines number of line feeds in its text.
 * @param last last byte of the text, since the last line may lack its line feed.
 */
export function linesToRows(lines: number, last: number | undefined): number {
  return Math.max(0, lines + (last === undefined || last === LF ? 0 : 1) - 1);
}
