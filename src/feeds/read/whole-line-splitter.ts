const LF = 0x0a;
/** Approximate size of a piece, which stays in the processor's cache while it is split and written. */
const PIECE_BYTES = 256 * 1024;

/** Splits text in chunks of any size into pieces of whole lines. */
export class WholeLineSplitter {
  /** Start of a line whose end is in a later chunk. */
  #partialLine: Buffer | undefined;

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
      const end = last - at <= PIECE_BYTES ? last : chunk.lastIndexOf(LF, at + PIECE_BYTES - 1) + 1;
      const until = end > at ? end : chunk.indexOf(LF, at + PIECE_BYTES) + 1;
      yield chunk.subarray(at, until);
      at = until;
    }
    if (last === chunk.length) return;
    const rest = chunk.subarray(last);
    this.#partialLine = this.#partialLine ? Buffer.concat([this.#partialLine, rest]) : Buffer.from(rest);
  }
}
