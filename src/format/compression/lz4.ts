import { createOwnMemory, instantiateSync, WASM_PAGE_BYTES } from '../../base/wasm.js';
import type { Compress } from './compress.js';

/** Exports of assembly/lz4-kernel.ts, where they are documented. */
export interface Lz4Exports {
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

const TABLE_BYTES = WASM_PAGE_BYTES;
/** Memory that a compressor needs: for its table, and for a compressed block, which may be a little larger. */
export const LZ4_SCRATCH_BYTES = TABLE_BYTES + MAX_BLOCK_BYTES + WASM_PAGE_BYTES;

/** The memory of a kernel. */
interface Lz4Memory {
  readonly kernel: Lz4Exports;
  readonly bytes: Uint8Array;
}

/**
 * Creates a compressor to LZ4 frames.
 * @param scratch address of `LZ4_SCRATCH_BYTES` bytes.
 * @param locate returns the address of a block, which it may first copy into the memory.
 */
export function createFrameCompressor(
  memory: Lz4Memory,
  scratch: number,
  locate: (block: Uint8Array) => number,
): Compress {
  let out = Buffer.alloc(0);
  return (input) => {
    const blocks = Math.ceil(input.length / MAX_BLOCK_BYTES);
    const maxBytes = FRAME_START.length + input.length + (blocks + 1) * LENGTH_BYTES;
    if (out.length < maxBytes) out = Buffer.allocUnsafeSlow(maxBytes);
    out.set(FRAME_START);
    let at = FRAME_START.length;
    for (let start = 0; start < input.length; start += MAX_BLOCK_BYTES) {
      const block = input.subarray(start, start + MAX_BLOCK_BYTES);
      const compressed = scratch + TABLE_BYTES;
      const size = memory.kernel.compressBlock(locate(block), block.length, scratch, compressed);
      const isSmaller = size < block.length;
      const data = isSmaller ? memory.bytes.subarray(compressed, compressed + size) : block;
      at = out.writeUInt32LE(isSmaller ? size : block.length + IS_UNCOMPRESSED, at);
      out.set(data, at);
      at += data.length;
    }
    at = out.writeUInt32LE(0, at);
    return out.subarray(0, at);
  };
}

/** Addresses in the memory of the compressor alone. */
const SCRATCH_ADDRESS = WASM_PAGE_BYTES;
const BLOCK_ADDRESS = SCRATCH_ADDRESS + LZ4_SCRATCH_BYTES;
const MEMORY_BYTES = BLOCK_ADDRESS + MAX_BLOCK_BYTES + WASM_PAGE_BYTES;

/** Created once a thread; it has no state between calls. */
let compress: Compress | undefined;

/** Loads the compressor to LZ4 frames. */
export function loadLz4(): Compress {
  compress ??= createCompressor();
  return compress;
}

function createCompressor(): Compress {
  const memory = createOwnMemory(MEMORY_BYTES);
  const kernel = instantiateSync<Lz4Exports>(new URL('./lz4-kernel.wasm', import.meta.url), memory);
  const bytes = new Uint8Array(memory.buffer);
  return createFrameCompressor({ kernel, bytes }, SCRATCH_ADDRESS, (block) => {
    bytes.set(block, BLOCK_ADDRESS);
    return BLOCK_ADDRESS;
  });
}
