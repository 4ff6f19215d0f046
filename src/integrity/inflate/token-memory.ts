import { createSharedMemory, WASM_PAGE_BYTES, type WasmMemory } from '../../base/wasm.js';
import type { CrcFoldModule } from '../memory-crc.js';
import { WINDOW_BYTES } from './inflated-text.js';

/** Exports of assembly/token-kernel.ts, where they are documented. */
export interface TokenModule extends CrcFoldModule {
  setUp(base: number): number;
  startAt(bit: bigint): void;
  continueAt(address: number): void;
  inflate(end: number, final: boolean, start: number, to: number, limit: number, stopBit: bigint): number;
  decodeTokens(
    end: number,
    final: boolean,
    to: number,
    limit: number,
    stopBit: bigint,
    tokensTo: number,
    tokensLimit: number,
  ): number;
  findBlock(from: bigint, to: bigint): bigint;
  replayTokens(
    from: number,
    end: number,
    literals: number,
    start: number,
    to: number,
    limit: number,
  ): boolean;
  usedTo(): number;
  writtenTo(): number;
  tokensTo(): number;
  stoppedAt(): bigint;
  replayedTokensTo(): number;
  replayedLiteralsTo(): number;
  replayedTo(): number;
}

export const TOKEN_MODULE_URL = new URL('./token-kernel.wasm', import.meta.url);

/** Limits of what a chunk becomes. With more, it is inflated in order. Usual chunks take a third of them. */
export const MAX_TOKEN_BYTES = 8 * 1024 * 1024;
export const MAX_LITERAL_BYTES = 4 * 1024 * 1024;
/** Bytes that the kernel may write beyond these limits: a token for each 255 literals, and a copied match. */
const TOKEN_SLACK_BYTES = 128 * 1024;
export const TEXT_BYTES = 256 * 1024;
/** Bytes that the kernel may read or write beyond its input, literals and text. */
const SLACK_BYTES = 4096;

/** How a file is divided. */
export interface ChunkSizes {
  /** Compressed bytes of a chunk, which a thread decodes. */
  readonly chunkBytes: number;
  /**
   * Bytes after a chunk in which its last block must end; otherwise the next chunk is inflated in order. At least
   * 1024, at most a chunk.
   */
  readonly overlapBytes: number;
}

export const CHUNK_SIZES: ChunkSizes = { chunkBytes: 1024 * 1024, overlapBytes: 256 * 1024 };

/** Addresses of the output of a chunk. */
export interface ChunkOutput {
  readonly tokens: number;
  readonly literals: number;
}

/** Memory in which threads decode chunks of a file into tokens, and the reader turns tokens into text. */
export interface TokenMemory {
  readonly memory: WasmMemory;
  /** Addresses for the tables of the reader’s kernel, and of each thread’s. */
  readonly tables: readonly number[];
  /** Address of a ring of chunks. The start of its first chunk is repeated after the last. */
  readonly ring: number;
  /** Address of a chunk’s text; the window is before it. */
  readonly text: number;
  /** For each chunk of the ring. */
  readonly outputs: readonly ChunkOutput[];
}

/**
 * Creates memory for a file. It reserves 13 MB for each chunk, of which usual files use 4 MB.
 * @param chunks number of chunks in the ring.
 */
export function createTokenMemory(threads: number, chunks: number, sizes: ChunkSizes): TokenMemory {
  let end = WASM_PAGE_BYTES;
  const take = (bytes: number): number => {
    const address = end;
    end += Math.ceil(bytes / WASM_PAGE_BYTES) * WASM_PAGE_BYTES;
    return address;
  };
  const tables = Array.from({ length: threads + 1 }, () => take(WASM_PAGE_BYTES));
  const ring = take(chunks * sizes.chunkBytes + sizes.overlapBytes + SLACK_BYTES);
  const text = take(WINDOW_BYTES + TEXT_BYTES + SLACK_BYTES) + WINDOW_BYTES;
  const outputs = Array.from({ length: chunks }, () => ({
    tokens: take(MAX_TOKEN_BYTES + TOKEN_SLACK_BYTES),
    literals: take(MAX_LITERAL_BYTES + SLACK_BYTES),
  }));
  return { memory: createSharedMemory(end), tables, ring, text, outputs };
}
