import { createOwnMemory, instantiateSync } from '../../base/wasm.js';
import type { GunzipPass, TextSink } from '../gunzip.js';
import {
  type CrcFoldModule,
  InflatedText,
  readMemberHeader,
  readMemberTrailer,
  TEXT_SLACK_BYTES,
  TRAILER_BYTES,
  WINDOW_BYTES,
} from './inflated-text.js';

/** Part of a member that comes next. */
type State = 'header' | 'data' | 'trailer';

/** The inflater that was used last in this thread, for the next file. */
let idle: Inflater | undefined;

function takeInflater(textChunk: number): Inflater {
  const taken = idle?.textChunk === textChunk ? idle : new Inflater(textChunk);
  if (taken === idle) idle = undefined;
  taken.dropInput();
  return taken;
}

/**
 * Inflates a gzip file (RFC 1952) of any number of members in this thread. Each member's checksum and length
 * are compared.
 */
export class InflatePass implements GunzipPass {
  readonly #inflater: Inflater;
  readonly #text: InflatedText;
  #state: State = 'header';
  #members = 0;

  /**
   * @param onText receives text that stays valid until the returned promise resolves.
   * @param textChunk maximum size of a text chunk, in bytes.
   */
  constructor(onText: TextSink, textChunk: number) {
    const inflater = takeInflater(textChunk);
    this.#inflater = inflater;
    const { module, bytes, textAddress } = inflater;
    this.#text = new InflatedText(module, bytes, textAddress, textChunk, onText);
  }

  /** Resolves when the chunk is used up. @throws InflateRefusal; what the text sink throws. */
  async write(chunk: Buffer): Promise<void> {
    for (let used = 0; used < chunk.length; ) {
      const added = this.#inflater.addInput(chunk.subarray(used));
      // A header that is longer than the memory.
      if (added === 0) this.#text.refuse();
      used += added;
      await this.#run(false);
    }
    await this.#text.pass();
  }

  /** Call it after the last byte. @throws InflateRefusal; what the text sink throws. */
  async finish(): Promise<void> {
    await this.#run(true);
    const isComplete = this.#state === 'header' && this.#members > 0 && this.#inflater.input.length === 0;
    if (!isComplete) this.#text.refuse();
    await this.#text.pass();
  }

  /** Returns its memory. Call it once, after all other calls have ended. Nothing else runs then. */
  async destroy(): Promise<void> {
    idle = this.#inflater;
  }

  /** Inflates until more input is needed. @param final whether the file ends after the input. */
  async #run(final: boolean): Promise<void> {
    const inflater = this.#inflater;
    const text = this.#text;
    for (;;) {
      if (this.#state === 'header') {
        const length = readMemberHeader(inflater.input);
        if (length === undefined) return;
        if (length === 0) text.refuse();
        inflater.skipInput(length);
        inflater.startStream();
        text.startMember();
        this.#state = 'data';
      } else if (this.#state === 'data') {
        const { status, end } = inflater.inflate(final, text.memberAt, text.end, text.limit);
        text.extendTo(end);
        if (status === InflateStatus.refused) text.refuse();
        if (status === InflateStatus.starved) return;
        if (status === InflateStatus.ended) this.#state = 'trailer';
        else await text.pass();
      } else {
        if (inflater.input.length < TRAILER_BYTES) return;
        text.endMember(readMemberTrailer(inflater.input));
        inflater.skipInput(TRAILER_BYTES);
        this.#members++;
        this.#state = 'header';
      }
    }
  }
}

/** Exports of ../assembly/inflate-kernel.ts, where they are documented. */
interface InflateModule extends CrcFoldModule {
  setUp(base: number): number;
  startAt(bit: bigint): void;
  continueAt(address: number): void;
  inflate(end: number, final: boolean, start: number, to: number, limit: number): number;
  usedTo(): number;
  writtenTo(): number;
}

/** Why decoding ended; the values are those of ../assembly/decode.ts. */
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
