import { copyBytes } from '../../base/memory.js';
import { instantiateSync, type WasmMemory } from '../../base/wasm.js';
import { WorkerThread } from '../../base/worker-thread.js';
import type { GunzipPass, TextSink } from '../gunzip.js';
import { InflateStatus } from './inflate-pass.js';
import { InflatedText, readMemberHeader, readMemberTrailer, TRAILER_BYTES } from './inflated-text.js';
import {
  CHUNK_SIZES,
  type ChunkJob,
  type ChunkOutput,
  type ChunkSizes,
  createTokenMemory,
  type DecodedChunk,
  TEXT_BYTES,
  TOKEN_MODULE_URL,
  type TokenMemory,
  type TokenModule,
} from './token-memory.js';
import type { TokenThreadData } from './token-worker.js';

/** Place in the file from which on text is missing. */
interface Position {
  /** In bits; of a member or a block whole bytes or bits, of the inside of a block whole bytes. */
  readonly bit: number;
  readonly at: 'member' | 'block' | 'inside';
}

/** Differs from the defaults in tests. */
export interface TokenPassOptions {
  readonly sizes?: ChunkSizes;
  readonly startDecoders?: typeof startTokenThreads;
}

const NO_STOP = 2n ** 64n - 1n;
/** For each miss in a row: searching the chunks of a stream that has no findable starts would be in vain. */
const CHUNKS_AFTER_MISS = 8;
/** Chunks in memory besides those that threads decode: one is read, and one becomes text. */
const SPARE_CHUNKS = 2;

/**
 * Inflates a gzip file with threads. Each decodes a chunk of the file into tokens, from a place where a block
 * seems to begin; this thread turns the tokens into text, in order. Where a thread found no start, or a wrong
 * one, this thread inflates the chunk itself. The text is in shared memory, which parts of Node's API refuse.
 */
export class TokenPass implements GunzipPass {
  readonly #memory: TokenMemory;
  readonly #bytes: Buffer;
  readonly #module: TokenModule;
  readonly #text: InflatedText;
  readonly #sizes: ChunkSizes;
  readonly #decoders: ChunkDecoders;
  /** Results of chunks, in order, from `#firstChunk` on; undefined for a chunk that no thread decodes. */
  readonly #decoded: (Promise<DecodedChunk | undefined> | undefined)[] = [];
  #firstChunk = 0;
  /** Chunks in a row of which the thread found no start, or a wrong one, and chunks to leave to this thread. */
  #misses = 0;
  #chunksToSkip = 0;
  /** Bytes of the file so far. */
  #written = 0;
  #isFinal = false;
  /** Undefined after the end of the last member. */
  #next: Position | undefined = { bit: 0, at: 'member' };

  /** @param threads number of threads that decode. */
  constructor(
    onText: TextSink,
    threads: number,
    { sizes = CHUNK_SIZES, startDecoders = startTokenThreads }: TokenPassOptions = {},
  ) {
    this.#sizes = sizes;
    this.#memory = createTokenMemory(threads, threads + SPARE_CHUNKS, sizes);
    const { memory, tables, text } = this.#memory;
    this.#bytes = Buffer.from(memory.buffer);
    this.#module = instantiateSync<TokenModule>(TOKEN_MODULE_URL, memory);
    this.#module.setUp(tables[threads] as number);
    this.#text = new InflatedText(this.#module, this.#bytes, text, TEXT_BYTES, onText);
    this.#decoders = startDecoders(memory, tables.slice(0, threads));
  }

  /** Resolves when the chunk is taken. @throws InflateRefusal; what the text sink throws. */
  async write(chunk: Buffer): Promise<void> {
    for (let used = 0; used < chunk.length; ) {
      while (this.#written === (this.#firstChunk + this.#chunkCount) * this.#sizes.chunkBytes)
        await this.#useChunk();
      used += this.#addInput(chunk.subarray(used));
      while (this.#written >= (this.#startedChunks + 1) * this.#sizes.chunkBytes + this.#sizes.overlapBytes)
        this.#startChunk();
    }
  }

  /** Call it after the last byte. @throws InflateRefusal; what the text sink throws. */
  async finish(): Promise<void> {
    this.#isFinal = true;
    while (this.#written > this.#startedChunks * this.#sizes.chunkBytes) this.#startChunk();
    while (this.#decoded.length > 0) await this.#useChunk();
    if (this.#next) this.#text.refuse();
    await this.#text.pass();
  }

  /** Ends the threads. */
  async destroy(): Promise<void> {
    await this.#decoders.close();
  }

  get #chunkCount(): number {
    return this.#memory.outputs.length;
  }

  get #startedChunks(): number {
    return this.#firstChunk + this.#decoded.length;
  }

  /** Adds input up to the end of the ring. @returns the number of bytes. */
  #addInput(chunk: Buffer): number {
    const { ring } = this.#memory;
    const ringBytes = this.#chunkCount * this.#sizes.chunkBytes;
    const at = this.#written % ringBytes;
    const end = (this.#firstChunk + this.#chunkCount) * this.#sizes.chunkBytes;
    const length = Math.min(chunk.length, ringBytes - at, end - this.#written);
    const input = chunk.subarray(0, length);
    copyBytes(input, this.#bytes, ring + at);
    if (at < this.#sizes.overlapBytes)
      copyBytes(input.subarray(0, this.#sizes.overlapBytes - at), this.#bytes, ring + ringBytes + at);
    this.#written += length;
    return length;
  }

  /** The next chunk and what may be read of it, in memory. */
  #locateChunk(index: number): ChunkJob {
    const slot = index % this.#chunkCount;
    const at = this.#memory.ring + slot * this.#sizes.chunkBytes;
    const left = this.#written - index * this.#sizes.chunkBytes;
    const inputEnd = at + Math.min(left, this.#sizes.chunkBytes + this.#sizes.overlapBytes);
    return {
      at,
      chunkEnd: at + Math.min(left, this.#sizes.chunkBytes),
      inputEnd,
      isFirst: index === 0,
      isLast: this.#isFinal && inputEnd === at + left,
      output: this.#memory.outputs[slot] as ChunkOutput,
    };
  }

  #startChunk(): void {
    const index = this.#startedChunks;
    if (this.#chunksToSkip > 0) {
      this.#chunksToSkip--;
      this.#decoded.push(undefined);
      return;
    }
    const decoded = this.#decoders.decode(index, this.#locateChunk(index));
    decoded.catch(() => {});
    this.#decoded.push(decoded);
  }

  /** Turns the first chunk into text. */
  async #useChunk(): Promise<void> {
    const index = this.#firstChunk;
    const decoded = await this.#decoded[0];
    const start = index * this.#sizes.chunkBytes * 8;
    const next = this.#next;
    // A block or member may reach beyond the chunk.
    if (next && next.bit < start + this.#sizes.chunkBytes * 8) {
      const isRight =
        decoded !== undefined && start + decoded.start.bit === next.bit && decoded.start.at === next.at;
      if (isRight) await this.#replay(index, decoded);
      else await this.#inflate(index, next);
      if (this.#decoded[0]) {
        this.#misses = isRight ? 0 : this.#misses + 1;
        this.#chunksToSkip = this.#misses * CHUNKS_AFTER_MISS;
      }
    }
    this.#decoded.shift();
    this.#firstChunk++;
  }

  async #replay(index: number, { start, runs, next }: DecodedChunk): Promise<void> {
    const module = this.#module;
    const text: InflatedText = this.#text;
    let { tokens, literals } = this.#locateChunk(index).output;
    let isStart = start.at === 'member';
    for (const { end, trailer } of runs) {
      if (isStart) text.startMember();
      while (tokens < end) {
        if (!module.replayTokens(tokens, end, literals, text.memberAt, text.end, text.limit)) text.refuse();
        tokens = module.replayedTokensTo();
        literals = module.replayedLiteralsTo();
        text.extendTo(module.replayedTo());
        if (text.end >= text.limit) await text.pass();
      }
      if (trailer) text.endMember(trailer);
      isStart = true;
    }
    this.#next = next && { ...next, bit: index * this.#sizes.chunkBytes * 8 + next.bit };
  }

  /** Inflates in this thread up to the first block or member that begins after the chunk. */
  async #inflate(index: number, from: Position): Promise<void> {
    const { at, chunkEnd, inputEnd, isLast } = this.#locateChunk(index);
    const offset = (at - index * this.#sizes.chunkBytes) * 8;
    const isLastChunk = this.#isFinal && this.#written <= (index + 1) * this.#sizes.chunkBytes;
    const stopBit = isLastChunk ? NO_STOP : BigInt(chunkEnd) * 8n;
    const module = this.#module;
    const text: InflatedText = this.#text;
    let memberAt = from.at === 'member' ? (from.bit + offset) / 8 : undefined;
    if (from.at === 'block') module.startAt(BigInt(from.bit + offset));
    else if (from.at === 'inside') module.continueAt((from.bit + offset) / 8);
    for (;;) {
      if (memberAt !== undefined) {
        const header = readMemberHeader(this.#bytes.subarray(memberAt, inputEnd));
        if (header === undefined || header === 0) text.refuse();
        module.startAt(BigInt(memberAt + header) * 8n);
        text.startMember();
        memberAt = undefined;
      }
      const status = module.inflate(inputEnd, isLast, text.memberAt, text.end, text.limit, stopBit);
      text.extendTo(module.writtenTo());
      if (status === InflateStatus.atBlock) {
        this.#next = { bit: Number(module.stoppedAt()) - offset, at: 'block' };
        return;
      }
      const end = module.usedTo();
      if (status === InflateStatus.starved) {
        this.#next = { bit: end * 8 - offset, at: 'inside' };
        return;
      }
      if (status === InflateStatus.full) await text.pass();
      else {
        if (status !== InflateStatus.ended || end + TRAILER_BYTES > inputEnd) text.refuse();
        text.endMember(readMemberTrailer(this.#bytes.subarray(end)));
        memberAt = end + TRAILER_BYTES;
        this.#next =
          memberAt === inputEnd && isLast ? undefined : { bit: memberAt * 8 - offset, at: 'member' };
        if (!this.#next || memberAt >= chunkEnd) return;
      }
    }
  }
}

/** Decodes chunks, several at the same time. */
interface ChunkDecoders {
  /** @param index number of the chunk in the file. */
  decode(index: number, job: ChunkJob): Promise<DecodedChunk | undefined>;
  close(): Promise<void>;
}

/** Starts a thread for each address of tables. */
function startTokenThreads(memory: WasmMemory, tables: readonly number[]): ChunkDecoders {
  const threads: WorkerThread<ChunkJob, DecodedChunk | undefined>[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(threads.map((thread) => thread.close()));
  };
  try {
    for (const address of tables) {
      const workerData: TokenThreadData = { memory, tables: address };
      const url = new URL('./token-worker.js', import.meta.url);
      threads.push(new WorkerThread(url, { name: 'inflate', workerData }));
    }
  } catch (error) {
    // No address space for all of them: zlib inflates the file instead.
    void close();
    throw error;
  }
  return {
    async decode(index, job) {
      return threads[index % threads.length]?.run(job);
    },
    close,
  };
}
