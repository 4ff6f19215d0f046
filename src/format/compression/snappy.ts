import { createOwnMemory, instantiateSync, WASM_PAGE_BYTES } from '../../base/wasm.js';
import type { Compress } from './compress.js';

/** Exports of assembly/snappy.ts, where they are documented. */
export interface SnappyExports {
  maxSnappyBytes(length: number): number;
  compressSnappy(from: number, length: number, out: number): number;
}

/** The kernel has its table in the first page. */
const INPUT_ADDRESS = WASM_PAGE_BYTES;
/** The kernel reads and writes 16 bytes at a time, also beyond the end. */
const SLACK_BYTES = 64;

/** Created once a thread; it has no state between calls. */
let compress: Compress | undefined;

/** Loads the compressor to raw Snappy streams. */
export function loadSnappy(): Compress {
  compress ??= createCompressor();
  return compress;
}

function createCompressor(): Compress {
  const memory = createOwnMemory();
  const kernel = instantiateSync<SnappyExports>(new URL('./snappy-kernel.wasm', import.meta.url), memory);
  let bytes = new Uint8Array(memory.buffer);
  return (input) => {
    const out = INPUT_ADDRESS + input.length + SLACK_BYTES;
    const missing = out + kernel.maxSnappyBytes(input.length) + SLACK_BYTES - bytes.length;
    if (missing > 0) {
      memory.grow(Math.ceil(missing / WASM_PAGE_BYTES));
      bytes = new Uint8Array(memory.buffer);
    }
    bytes.set(input, INPUT_ADDRESS);
    return bytes.subarray(out, out + kernel.compressSnappy(INPUT_ADDRESS, input.length, out));
  };
}
