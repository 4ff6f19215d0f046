import zlib, { gzipSync } from 'node:zlib';
import type { COMPRESSIONS } from '../base/output-format-names.js';
import { createOwnMemory, instantiateSync, WASM_PAGE_BYTES } from '../base/wasm.js';

export type Effort = 'fast' | 'small';

/** Compresses bytes to one complete frame, valid until the next call. Without compression, returns the input itself. */
export type Compress = (bytes: Uint8Array, effort: Effort) => Uint8Array;

export type Compression = (typeof COMPRESSIONS)[number];

const GZIP_LEVEL = { fast: 4, small: 6 } as const;

/** Loads a compressor, so that compressing is synchronous. */
export async function loadCompressor(compression: Compression): Promise<Compress> {
  switch (compression) {
    case 'zstd':
      return loadZstd();
    case 'snappy':
      return loadSnappy();
    case 'gzip':
      return (bytes, effort) => gzipSync(bytes, { level: GZIP_LEVEL[effort] });
    case 'lz4':
      return loadLz4();
    case 'none':
      return (bytes) => bytes;
  }
}

const ZSTD_LEVEL = { fast: 1, small: 2 } as const;

/** Node has zstd since 22.15; the types are those of Node 20. */
interface NativeZstd {
  readonly zstdCompressSync?: (
    bytes: Uint8Array,
    options: { params: Readonly<Record<number, number>> },
  ) => Uint8Array;
  readonly constants: { readonly ZSTD_c_compressionLevel?: number };
}

/**
 * Loads Zstandard (RFC 8878): Node's if it has it, otherwise WebAssembly, which takes about twice the time.
 */
export async function loadZstd(): Promise<Compress> {
  return nativeZstd(zlib as NativeZstd) ?? (await wasmZstd());
}

function nativeZstd({ zstdCompressSync, constants }: NativeZstd): Compress | undefined {
  const level = constants.ZSTD_c_compressionLevel;
  if (!zstdCompressSync || level === undefined) return undefined;
  return (bytes, effort) => zstdCompressSync(bytes, { params: { [level]: ZSTD_LEVEL[effort] } });
}

/** Longer than the start of the package, even on a busy machine. */
const START_MS = 2000;

/**
 * The start of the package never ends if its memory cannot be allocated, so check now and then whether any can.
 * @throws TickhaulError `disk` if none can.
 */
async function rejectWithoutMemory(started: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const failed = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      try {
        createOwnMemory();
      } catch (error) {
        reject(error);
      }
    }, START_MS);
  });
  await Promise.race([started, failed]).finally(() => clearInterval(timer));
}

const NO_DICTIONARY = new Uint8Array(0);

let wasm: Promise<Compress> | undefined;

/** Loaded once per thread: a second `init` would replace the memory that the first one uses. */
function wasmZstd(): Promise<Compress> {
  wasm ??= import('@bokuweb/zstd-wasm').then(async ({ compressUsingDict, createCCtx, init }) => {
    await rejectWithoutMemory(init());
    // Creating a context takes longer than compressing a small page.
    const context = createCCtx();
    return (bytes, effort) => compressUsingDict(context, bytes, NO_DICTIONARY, ZSTD_LEVEL[effort]);
  });
  return wasm;
}

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
let lz4: Compress | undefined;

/** Loads the compressor to LZ4 frames. */
export function loadLz4(): Compress {
  lz4 ??= createLz4();
  return lz4;
}

function createLz4(): Compress {
  const memory = createOwnMemory(MEMORY_BYTES);
  const kernel = instantiateSync<Lz4Exports>(new URL('./lz4-kernel.wasm', import.meta.url), memory);
  const bytes = new Uint8Array(memory.buffer);
  return createFrameCompressor({ kernel, bytes }, SCRATCH_ADDRESS, (block) => {
    bytes.set(block, BLOCK_ADDRESS);
    return BLOCK_ADDRESS;
  });
}

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
let snappy: Compress | undefined;

/** Loads the compressor to raw Snappy streams. */
function loadSnappy(): Compress {
  snappy ??= createSnappy();
  return snappy;
}

function createSnappy(): Compress {
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
