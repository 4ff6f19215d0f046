import { pageMemory } from '../../base/page-memory.js';

/** Lines of a feed as slices have them, end to end; an empty one is a break of the collector's connection. Plain data. */
export interface FeedText {
  /** May be longer than the text. Threads share its memory. */
  readonly bytes: Uint8Array;
  readonly length: number;
  /** Where several readers share a feed: of each line, whose it seems to be. */
  readonly shares?: Uint8Array | undefined;
}

/** Memory past so many times is for few. */
const MAX_GROWTH = 4;

const LF = 0x0a;

/** Text to be. The memory grows to what it has to hold once, and is used again. */
export class FeedTextBuffer implements FeedText {
  bytes: Uint8Array;
  length = 0;
  readonly #size: number;
  #shares: number[] = [];

  /** @param size bytes to begin with. */
  constructor(size: number) {
    this.#size = size;
    this.bytes = pageMemory(size);
  }

  /** A copy, of lines of which all were told whose they are; undefined where none was. */
  get shares(): Uint8Array | undefined {
    return this.#shares.length === 0 ? undefined : Uint8Array.from(this.#shares);
  }

  /** Adds lines, with their LF. */
  add(lines: Uint8Array): void {
    this.#makeRoom(lines.length);
    this.bytes.set(lines, this.length);
    this.length += lines.length;
  }

  addBreak(): void {
    this.#makeRoom(1);
    this.bytes[this.length++] = LF;
  }

  /** Tells whose the next line is. */
  addShare(share: number): void {
    this.#shares.push(share);
  }

  /** Makes it empty, and gives the memory back where it is much more than is mostly needed. */
  clear(): void {
    this.length = 0;
    this.#shares = [];
    if (this.bytes.length > MAX_GROWTH * this.#size) this.bytes = pageMemory(this.#size);
  }

  #makeRoom(size: number): void {
    const needed = this.length + size;
    if (needed <= this.bytes.length) return;
    const larger = pageMemory(Math.max(needed, 2 * this.bytes.length));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
