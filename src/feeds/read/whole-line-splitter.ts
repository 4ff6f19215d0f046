const LF = 0x0a;

/** Splits text in chunks of any size into pieces of whole lines. */
export class WholeLineSplitter {
  /** Start of a line whose end is in a later chunk. */
  #partialLine: Buffer | undefined;
  readonly #pieceBytes: number;

  /**
   * @param pieceBytes approximate size of a piece, which stays in the processor's cache while it is split.
   */
  constructor(pieceBytes: number) {
    this.#pieceBytes = pieceBytes;
  }

  /** Yields the whole lines of a chunk as slices of it; only a line that spans chunks is copied. */
  *split(chunk: Buffer): Generator<Buffer> {
    const last = chunk.lastIndexOf(LF) + 1;
    let at = 0;
    if (this.#partialLine && last > 0) {
      at = chunk.indexOf(LF) + 1;
      yield Buffer.concat([this.#partialLine, chunk.subarray(0, at)]);
      this.#partialLine = undefined;
    }
    while (at < last) {
      const end = last - at <= this.#pieceBytes ? last : chunk.lastIndexOf(LF, at + this.#pieceBytes - 1) + 1;
      const until = end > at ? end : chunk.indexOf(LF, at + this.#pieceBytes) + 1;
      yield chunk.subarray(at, until);
      at = until;
    }
    if (last === chunk.length) return;
    const rest = chunk.subarray(last);
    this.#partialLine = this.#partialLine ? Buffer.concat([this.#partialLine, rest]) : Buffer.from(rest);
  }
}
