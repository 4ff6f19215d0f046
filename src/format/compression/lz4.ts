import { createOwnMemory, instantiateSync, WASM_PAGE_BYTES } from '../../base/wasm.js';
import type { Compress } from './compress.js';

/** Exports of assembly/lz4-kernel.ts, where they are documented. */
interface Lz4Module {
  compressBlock(from: number, length: number, table: number, out: number): number;
}

/**
 * Start of a frame: its magic number; version 1 with independent blocks and no checksums; blocks of up to 4 MiB; and
 * the checksum of these two bytes (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md).
 */
const FRAME_START = Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73);
const MAX_BLOCK_BYTES = 4 * 1024 * 1024;
/** Size of a block's length, and of the end mark. */
const LENGTH_BYTES = 4;
/** Flag in a block's length. */
const IS_UNCOMPRESSED = 0x80000000;

/** Addresses in the kernel's memory. */
const TABLE_ADDRESS = WASM_PAGE_BYTES;
const BLOCK_ADDRESS = 2 * WASM_PAGE_BYTES;
const OUT_ADDRESS = BLOCK_ADDRESS + MAX_BLOCK_BYTES + WASM_PAGE_BYTES;
const MEMORY_BYTES = OUT_ADDRESS + MAX_BLOCK_BYTES + WASM_PAGE_BYTES;

/** Created once a thread; it has no state between calls. */
let compress: Compress | undefined;

/** Loads the compressor to LZ4 frames. */
export function loadLz4(): Compress {
  compress ??= createCompressor();
  return compress;
}

function createCompressor(): Compress {
  const memory = createOwnMemory(MEMORY_BYTES);
  const kernel = instantiateSync<Lz4Module>(new URL('./lz4-kernel.wasm', import.meta.url), memory);
  const bytes = new Uint8Array(memory.buffer);
  return (input) => {
    const blocks = Math.ceil(input.length / MAX_BLOCK_BYTES);
    const out = Buffer.allocUnsafe(FRAME_START.length + input.length + (blocks + 1) * LENGTH_BYTES);
    out.set(FRAME_START);
    let at = FRAME_START.length;
    for (let start = 0; start < input.length; start += MAX_BLOCK_BYTES) {
      const block = input.subarray(start, start + MAX_BLOCK_BYTES);
      bytes.set(block, BLOCK_ADDRESS);
      const size = kernel.compressBlock(BLOCK_ADDRESS, block.length, TABLE_ADDRESS, OUT_ADDRESS);
      const isSmaller = size < block.length;
      const data = isSmaller ? bytes.subarray(OUT_ADDRESS, OUT_ADDRESS + size) : block;
      at = out.writeUInt32LE(isSmaller ? size : block.length + IS_UNCOMPRESSED, at);
      out.set(data, at);
      at += data.length;
    }
    at = out.writeUInt32LE(0, at);
    return out.subarray(0, at);
  };
}
