import { createSharedMemory, WASM_PAGE_BYTES, type WasmMemory } from '../../base/wasm.js';
import { InflateStatus } from './inflate-pass.js';
import {
  type CrcFoldModule,
  type MemberTrailer,
  readMemberHeader,
  readMemberTrailer,
  TRAILER_BYTES,
  WINDOW_BYTES,
} from './inflated-text.js';

/** Exports of ../assembly/token-kernel.ts, where they are documented. */
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

/** A chunk of a gzip file in memory. */
export interface ChunkJob {
  /** Address of the chunk. */
  readonly at: number;
  /** Address after the chunk. A block that begins at or after it is not decoded. */
  readonly chunkEnd: number;
  /** Address after the bytes that may be read. */
  readonly inputEnd: number;
  readonly isFirst: boolean;
  /** Whether the file ends at `inputEnd`. */
  readonly isLast: boolean;
  readonly output: ChunkOutput;
}

/** A place in a file at which decoding can begin. */
interface StartPoint {
  /** In bits, relative to the chunk. */
  readonly bit: number;
  readonly at: 'member' | 'block';
}

/** Tokens of a member in a chunk. */
interface MemberTokens {
  /** Address after the tokens. */
  readonly end: number;
  /** Set if the member ends after them. */
  readonly trailer: MemberTrailer | undefined;
}

/** A chunk as tokens, decoded from a place at which a block or a member seems to begin. */
export interface DecodedChunk {
  readonly start: StartPoint;
  readonly runs: readonly MemberTokens[];
  /** Where the next chunk’s first block or member begins; undefined at the end of the file. */
  readonly next: StartPoint | undefined;
}

/** First bytes of a gzip member (RFC 1952, section 2.3.1). */
const MEMBER_MAGIC = Buffer.from([0x1f, 0x8b, 8]);
/** Longer headers are left to the reader: a search for their ends from many places would take seconds. */
const MAX_MEMBER_HEADER_BYTES = 1024;
/** Starts of a chunk that are tried. A false one fails within some blocks. */
const MAX_ATTEMPTS = 50;
/** A chunk of more members is left to the reader, which refuses them if they are small. */
const MAX_RUNS = 1024;
/** Bytes of a chunk in which a start is searched. Blocks of usual files begin every 20 to 60 KB. */
const MAX_SEARCH_BYTES = 128 * 1024;

/**
 * Finds where a block or a member begins in a chunk, and decodes from there to the first block or member that
 * begins after the chunk.
 * @param bytes the whole memory.
 * @returns undefined if nothing is found, or if it does not fit the output.
 */
export function decodeChunk(module: TokenModule, bytes: Buffer, job: ChunkJob): DecodedChunk | undefined {
  if (job.isFirst) return decodeFrom(module, bytes, job, { bit: 0, at: 'member' }) || undefined;
  const searchEnd = Math.min(job.at + MAX_SEARCH_BYTES, job.chunkEnd);
  const end = BigInt(searchEnd) * 8n;
  let from = BigInt(job.at) * 8n;
  let memberBit = -1n;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (memberBit < from) {
      const member = findMember(bytes, Number((from + 7n) >> 3n), searchEnd, job.inputEnd);
      memberBit = member === undefined ? end : BigInt(member) * 8n;
    }
    const found = module.findBlock(from, memberBit);
    if (found === end) return undefined;
    const start: StartPoint = {
      bit: Number(found) - job.at * 8,
      at: found === memberBit ? 'member' : 'block',
    };
    const decoded = decodeFrom(module, bytes, job, start);
    if (decoded !== undefined) return decoded || undefined;
    from = found + 1n;
  }
  return undefined;
}

/** The address of the next valid member header in a chunk. */
function findMember(bytes: Buffer, from: number, searchEnd: number, inputEnd: number): number | undefined {
  for (let at = from; at < searchEnd; at++) {
    const found = bytes.subarray(at, searchEnd).indexOf(MEMBER_MAGIC);
    if (found < 0) return undefined;
    at += found;
    if (readMemberHeader(bytes.subarray(at, Math.min(inputEnd, at + MAX_MEMBER_HEADER_BYTES)))) return at;
  }
  return undefined;
}

/** @returns false if there are too many members; undefined if the start is wrong. */
function decodeFrom(
  module: TokenModule,
  bytes: Buffer,
  { at, chunkEnd, inputEnd, isLast, output }: ChunkJob,
  start: StartPoint,
): DecodedChunk | false | undefined {
  const runs: MemberTokens[] = [];
  const stopBit = BigInt(chunkEnd) * 8n;
  const tokensLimit = output.tokens + MAX_TOKEN_BYTES;
  const literalsLimit = output.literals + MAX_LITERAL_BYTES;
  let tokens = output.tokens;
  let literals = output.literals;
  let memberAt = start.at === 'member' ? at + start.bit / 8 : undefined;
  if (start.at === 'block') module.startAt(BigInt(at * 8 + start.bit));
  for (;;) {
    if (tokens >= tokensLimit) return undefined;
    if (runs.length === MAX_RUNS) return false;
    if (memberAt !== undefined) {
      const header = readMemberHeader(bytes.subarray(memberAt, inputEnd));
      if (!header) return undefined;
      module.startAt(BigInt(memberAt + header) * 8n);
    }
    const status = module.decodeTokens(
      inputEnd,
      isLast,
      literals,
      literalsLimit,
      stopBit,
      tokens,
      tokensLimit,
    );
    tokens = module.tokensTo();
    literals = module.writtenTo();
    if (status === InflateStatus.atBlock) {
      runs.push({ end: tokens, trailer: undefined });
      return { start, runs, next: { bit: Number(module.stoppedAt()) - at * 8, at: 'block' } };
    }
    const end = module.usedTo();
    if (status !== InflateStatus.ended || end + TRAILER_BYTES > inputEnd) return undefined;
    runs.push({ end: tokens, trailer: readMemberTrailer(bytes.subarray(end)) });
    memberAt = end + TRAILER_BYTES;
    if (memberAt === inputEnd && isLast) return { start, runs, next: undefined };
    if (memberAt >= chunkEnd) return { start, runs, next: { bit: (memberAt - at) * 8, at: 'member' } };
  }
}
