/** Lines of a feed as slices have them, end to end; an empty one is a break of the collector's connection. Plain data. */
export interface FeedText {
  /** May be longer than the text. */
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** Bytes of text that go from hand to hand at once, unless a single line has more. */
export const FEED_TEXT = 256 * 1024;
/** Memory past so many times is for few. */
const MOST_TEXT = 4;

const LF = 0x0a;

/** Text to be. The memory grows to what it has to hold once, and is used again. */
export class FeedTextBuffer implements FeedText {
  bytes: Uint8Array;
  length = 0;

  /** @param memory text that nobody needs any more, whose memory is taken. */
  constructor(memory?: FeedText) {
    this.bytes = memory?.bytes ?? new Uint8Array(FEED_TEXT);
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

  /** Makes it empty, and gives the memory back where it is much more than is mostly needed. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length > MOST_TEXT * FEED_TEXT) this.bytes = new Uint8Array(FEED_TEXT);
  }

  #makeRoom(size: number): void {
    const needed = this.length + size;
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
