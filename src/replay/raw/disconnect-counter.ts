/**
 * Tells which breaks of connections are new. Where one feed is asked for in several parts, each of them marks every
 * break of a connection that they share: so a break is a new one where its input gave a line since the last that was
 * told, or has had more of them than any.
 */
export class DisconnectCounter {
  readonly #hasLines: boolean[];
  /** Empty lines of each input, and the most that were told. */
  readonly #seen: number[];
  #told = 0;

  constructor(inputs: number) {
    this.#hasLines = Array.from({ length: inputs }, () => false);
    this.#seen = Array.from({ length: inputs }, () => 0);
  }

  /** An input gave a line. */
  sawLine(input: number): void {
    this.#hasLines[input] = true;
  }

  /** Whether a break that an input gave is a new one. @param count of empty lines that follow each other. */
  isNew(input: number, count: number): boolean {
    const seen = (this.#seen[input] ?? 0) + count;
    this.#seen[input] = seen;
    if (!this.#hasLines[input] && seen <= this.#told) return false;
    this.#told = Math.max(this.#told, seen);
    this.#hasLines.fill(false);
    return true;
  }
}
