import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { copyBytes } from '../../base/memory.js';
import type { TextSink } from '../gunzip.js';

/** Text that was passed on before a file was refused, which zlib's text must begin with. */
export interface PassedText {
  readonly bytes: number;
  /** Bytes at the end of it that no member's checksum covers yet, and their CRC-32. */
  readonly uncheckedBytes: number;
  readonly uncheckedCrc: number;
}

/** Thrown for a file that only zlib can judge. */
export class InflateRefusal extends Error {
  readonly passed: PassedText;

  constructor(passed: PassedText) {
    super('the inflate kernel refused a gzip file');
    this.passed = passed;
  }
}

/** Maximum distance of a match (RFC 1951, section 2). */
export const WINDOW_BYTES = 32 * 1024;
/** The kernel may pass the end of the text by this many bytes. */
export const TEXT_SLACK_BYTES = 1024;

/** Text after which timers and events get their turn; usual chunks of a file have less. */
const YIELD_BYTES = 16 * 1024 * 1024;

/** Members in a row that have less text than this on average take many times zlib's time here. */
const SMALL_MEMBERS = 512;
const SMALL_TEXT_BYTES = SMALL_MEMBERS * 4096;

/** Text of a gzip file in a kernel's memory, which is checked and passed on in order. */
export class InflatedText {
  readonly #module: CrcFoldModule;
  readonly #bytes: Buffer;
  readonly #onText: TextSink;
  readonly #start: number;
  /** Address of the current member’s first text that is in memory. */
  #memberAt: number;
  /** Addresses up to which text is passed on, counted, and written. */
  #passedTo: number;
  #countedTo: number;
  #sinceYield = 0;
  #end: number;
  /** Checksum and length of the current member’s text so far. */
  #crc = 0;
  #length = 0;
  /** Members since the last look at their sizes, and their text. */
  #members = 0;
  #memberBytes = 0;
  #passed: PassedText = { bytes: 0, uncheckedBytes: 0, uncheckedCrc: 0 };
  /** Address at which the text must be passed on. */
  readonly limit: number;

  /**
   * @param module kernel of the memory.
   * @param bytes the whole memory.
   * @param start address of the text; `WINDOW_BYTES` before it are used too.
   * @param capacity maximum size of a text chunk, in bytes.
   */
  constructor(module: CrcFoldModule, bytes: Buffer, start: number, capacity: number, onText: TextSink) {
    this.#module = module;
    this.#bytes = bytes;
    this.#onText = onText;
    this.#start = start;
    this.limit = start + capacity - TEXT_SLACK_BYTES;
    this.#memberAt = start;
    this.#passedTo = start;
    this.#countedTo = start;
    this.#end = start;
  }

  /** Address of the current member's first text that is in memory. */
  get memberAt(): number {
    return this.#memberAt;
  }

  /** Address of the next text. */
  get end(): number {
    return this.#end;
  }

  startMember(): void {
    this.#memberAt = this.#end;
  }

  /** @param end address after the text that was written. */
  extendTo(end: number): void {
    this.#end = end;
  }

  /** @throws InflateRefusal if the member's text is not that of its trailer, and for many small members. */
  endMember({ crc, bytes }: MemberTrailer): void {
    this.#count();
    if (crc !== this.#crc || bytes !== this.#length % 2 ** 32) this.refuse();
    this.#memberBytes += this.#length;
    if (++this.#members === SMALL_MEMBERS) {
      if (this.#memberBytes < SMALL_TEXT_BYTES) this.refuse();
      this.#members = 0;
      this.#memberBytes = 0;
    }
    this.#crc = 0;
    this.#length = 0;
  }

  /** Passes the text on; it stays valid until the sink's promise resolves. @throws what the sink throws. */
  async pass(): Promise<void> {
    if (this.#end === this.#passedTo) return;
    this.#count();
    const text = this.#bytes.subarray(this.#passedTo, this.#end);
    this.#passed = {
      bytes: this.#passed.bytes + text.length,
      uncheckedBytes: this.#length,
      uncheckedCrc: this.#crc,
    };
    await this.#onText(text);
    this.#sinceYield += text.length;
    if (this.#sinceYield >= YIELD_BYTES) {
      this.#sinceYield = 0;
      await setImmediate();
    }
    if (this.#end >= this.limit) this.#slide();
    this.#passedTo = this.#end;
    this.#countedTo = this.#end;
  }

  /** @throws InflateRefusal always. Text that was not passed on yet is dropped. */
  refuse(): never {
    throw new InflateRefusal(this.#passed);
  }

  #count(): void {
    this.#crc = computeMemoryCrc(this.#module, this.#bytes, this.#countedTo, this.#end, this.#crc);
    this.#length += this.#end - this.#countedTo;
    this.#countedTo = this.#end;
  }

  /** Moves the window to the start, which makes room for more text. */
  #slide(): void {
    const kept = Math.min(WINDOW_BYTES, this.#end - this.#memberAt);
    const window = this.#bytes.subarray(this.#end - kept, this.#end);
    if (this.#end - kept >= this.#start) copyBytes(window, this.#bytes, this.#start - kept);
    else this.#bytes.set(window, this.#start - kept);
    this.#memberAt = this.#start - kept;
    this.#end = this.#start;
  }
}

/** Bits of the flags of a member’s header (RFC 1952, section 2.3.1). */
const Flag = { headerChecksum: 2, extra: 4, name: 8, comment: 16 } as const;
const KNOWN_FLAGS = Flag.extra | Flag.name | Flag.comment;
const FIXED_HEADER_BYTES = 10;

/** Length of a member’s checksum and text length at its end. */
export const TRAILER_BYTES = 8;

/**
 * The length of a gzip member's header (RFC 1952, section 2.3).
 * @returns undefined if it is incomplete; 0 if it is none, or an unusual one, which zlib judges.
 */
export function readMemberHeader(bytes: Buffer): number | undefined {
  if (bytes.length < FIXED_HEADER_BYTES) return undefined;
  const flags = bytes.readUInt8(3);
  if (bytes.readUIntBE(0, 3) !== 0x1f8b08 || (flags & ~KNOWN_FLAGS) !== 0) return 0;
  let length = FIXED_HEADER_BYTES;
  if (flags & Flag.extra) {
    if (bytes.length < length + 2) return undefined;
    length += 2 + bytes.readUInt16LE(length);
  }
  for (const flag of [Flag.name, Flag.comment]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, length);
    if (end < 0) return undefined;
    length = end + 1;
  }
  return length > bytes.length ? undefined : length;
}

/** Checksum and length of a member's text, at its end (RFC 1952, section 2.3.1). */
export interface MemberTrailer {
  /** CRC-32. */
  readonly crc: number;
  /** Modulo 2 ** 32. */
  readonly bytes: number;
}

/** Reads the trailer of a member at the start of `bytes`. */
export function readMemberTrailer(bytes: Buffer): MemberTrailer {
  return { crc: bytes.readUInt32LE(0), bytes: bytes.readUInt32LE(4) };
}

/** Exports of ../assembly/crc-fold.ts, where they are documented. */
export interface CrcFoldModule {
  shortenBytes(from: number, to: number, state: number): number;
  shortenedBytes(): number;
}

/** Fewer bytes take as long with Node's function alone. */
const MIN_BYTES_TO_SHORTEN = 16 * 1024;

/**
 * Computes the CRC-32 of bytes in the memory of a kernel, in a third of the time of Node's function: the kernel shortens
 * them (docs/decisions/inflate.md#shorten-text-before-its-crc-32-is-computed).
 * @param memory the whole memory. @param from address of the bytes, which end before `to`.
 * @param crc that of the bytes before.
 */
export function computeMemoryCrc(
  module: CrcFoldModule,
  memory: Uint8Array,
  from: number,
  to: number,
  crc: number,
): number {
  if (to - from < MIN_BYTES_TO_SHORTEN) return crc32(memory.subarray(from, to), crc);
  const end = module.shortenBytes(from, to, ~crc);
  // The checksum is inverted before and after its bytes; these begin with state 0.
  return crc32(memory.subarray(module.shortenedBytes(), end), 0xffffffff);
}
