import { sharedPageMemory } from '../../base/memory.js';

/**
 * Adjacent lines of a feed in the form of slices; an empty line is a disconnect of the collector. Plain data.
 */
export interface FeedText {
  /** May be larger than the text. Threads share this memory. */
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** A buffer that grew beyond this multiple is replaced after use. */
const MAX_GROWTH = 4;

const LF = 0x0a;

/** A reusable text buffer; its memory grows to the largest text. */
export class FeedTextBuffer implements FeedText {
  bytes: Uint8Array;
  length = 0;
  readonly #size: number;

  /** @param size initial size in bytes. */
  constructor(size: number) {
    this.#size = size;
    this.bytes = sharedPageMemory(size);
  }

  /** Adds lines, each ending with LF. */
  add(lines: Uint8Array): void {
    this.#makeRoom(lines.length);
    this.bytes.set(lines, this.length);
    this.length += lines.length;
  }

  addDisconnect(): void {
    this.#makeRoom(1);
    this.bytes[this.length++] = LF;
  }

  /** Empties the buffer, and releases its memory if that is much larger than usually needed. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length > MAX_GROWTH * this.#size) this.bytes = sharedPageMemory(this.#size);
  }

  #makeRoom(size: number): void {
    const needed = this.length + size;
    if (needed <= this.bytes.length) return;
    const larger = sharedPageMemory(Math.max(needed, 2 * this.bytes.length));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
