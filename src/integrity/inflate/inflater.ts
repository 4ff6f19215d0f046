import { createOwnMemory, instantiateSync } from '../../base/wasm.js';
import type { CrcFoldModule } from '../memory-crc.js';
import { TEXT_SLACK_BYTES, WINDOW_BYTES } from './inflated-text.js';

/** Exports of assembly/inflate-kernel.ts, where they are documented. */
interface InflateModule extends CrcFoldModule {
  setUp(base: number): number;
  startAt(bit: bigint): void;
  continueAt(address: number): void;
  inflate(end: number, final: boolean, start: number, to: number, limit: number): number;
  usedTo(): number;
  writtenTo(): number;
}

/** Why decoding ended; the values are those of assembly/decode.ts. */
export const InflateStatus = { full: 0, starved: 1, ended: 2, atBlock: 3, refused: -1 } as const;

/** Compressed bytes that an inflater takes at once, with those that are left from before. */
const MAX_INPUT_BYTES = 256 * 1024;
/** The kernel may read this many bytes beyond its input. */
const INPUT_SLACK_BYTES = 1024;
/** Addresses below are the kernel’s. */
const TABLES_ADDRESS = 64 * 1024;
const INPUT_ADDRESS = 2 * TABLES_ADDRESS;
const TEXT_ADDRESS = INPUT_ADDRESS + MAX_INPUT_BYTES + INPUT_SLACK_BYTES + WINDOW_BYTES;

/**
 * Inflates DEFLATE streams (RFC 1951) in WebAssembly, in the calling thread. It accepts no stream that zlib
 * refuses, and judges none: what it refuses must be given to zlib.
 */
export class Inflater {
  /** Maximum size of a text chunk, in bytes. */
  readonly textChunk: number;
  /** The whole memory, and the address of the text in it. */
  readonly bytes: Buffer;
  readonly textAddress = TEXT_ADDRESS;
  readonly module: InflateModule;
  /** Addresses of the unused input. */
  #inputAt = INPUT_ADDRESS;
  #inputEnd = INPUT_ADDRESS;

  constructor(textChunk: number) {
    this.textChunk = textChunk;
    const memory = createOwnMemory(TEXT_ADDRESS + textChunk + TEXT_SLACK_BYTES);
    this.bytes = Buffer.from(memory.buffer);
    this.module = instantiateSync<InflateModule>(new URL('./inflate-kernel.wasm', import.meta.url), memory);
    this.module.setUp(TABLES_ADDRESS);
  }

  /** Unused input. It changes with each call. */
  get input(): Buffer {
    return this.bytes.subarray(this.#inputAt, this.#inputEnd);
  }

  dropInput(): void {
    this.#inputEnd = this.#inputAt;
  }

  /** Adds input, as much as there is room for. @returns the number of bytes. */
  addInput(chunk: Buffer): number {
    const rest = this.#inputEnd - this.#inputAt;
    this.bytes.copyWithin(INPUT_ADDRESS, this.#inputAt, this.#inputEnd);
    const length = Math.min(chunk.length, MAX_INPUT_BYTES - rest);
    this.bytes.set(chunk.subarray(0, length), INPUT_ADDRESS + rest);
    this.#inputAt = INPUT_ADDRESS;
    this.#inputEnd = INPUT_ADDRESS + rest + length;
    this.module.continueAt(INPUT_ADDRESS);
    return length;
  }

  skipInput(bytes: number): void {
    this.#inputAt += bytes;
  }

  /** Begins a stream at the unused input. */
  startStream(): void {
    this.module.startAt(BigInt(this.#inputAt) * 8n);
  }

  /**
   * Inflates until the text ends at `limit` or slightly after it, the input is used up, or the stream ends.
   * @param final whether the file ends after the input.
   * @param start address of the stream's first text that is in memory.
   * @param to address of the next text.
   * @returns one of `InflateStatus`, and the address after the text.
   */
  inflate(
    final: boolean,
    start: number,
    to: number,
    limit: number,
  ): { readonly status: number; readonly end: number } {
    const status = this.module.inflate(this.#inputEnd, final, start, to, limit);
    this.#inputAt = this.module.usedTo();
    return { status, end: this.module.writtenTo() };
  }
}
