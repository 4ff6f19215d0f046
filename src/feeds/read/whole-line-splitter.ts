const LF = 0x0a;
/** Text that comes in chunks of any size, as pieces of whole lines. */
export class WholeLineSplitter {
  /** The beginning of a line whose end is still to come. */
  #begun: Buffer | undefined;
  readonly #piece: number;

  /** @param piece bytes of lines that are worked on at once, about: a processor has them near while they are cut. */
  constructor(piece: number) {
    this.#piece = piece;
  }

  /** The whole lines of a chunk, as they lie there: only a line that two chunks share is copied. */
  *of(chunk: Buffer): Generator<Buffer> {
    const last = chunk.lastIndexOf(LF) + 1;
    let at = 0;
    if (this.#begun && last > 0) {
      at = chunk.indexOf(LF) + 1;
      yield Buffer.concat([this.#begun, chunk.subarray(0, at)]);
      this.#begun = undefined;
    }
    while (at < last) {
      const end = last - at <= this.#piece ? last : chunk.lastIndexOf(LF, at + this.#piece - 1) + 1;
      const until = end > at ? end : chunk.indexOf(LF, at + this.#piece) + 1;
      yield chunk.subarray(at, until);
      at = until;
    }
    if (last === chunk.length) return;
    const rest = chunk.subarray(last);
    this.#begun = this.#begun ? Buffer.concat([this.#begun, rest]) : Buffer.from(rest);
  }
}
