/**
 * Deduplicates disconnects. If one feed is requested in several parts, each part marks every disconnect of a
 * shared connection. A disconnect is new if its input gave a line since the last new one, or has more
 * disconnects than any other input.
 */
export class DisconnectCounter {
  readonly #hasLines: boolean[];
  /** Empty lines of each input, and below the largest number that was counted. */
  readonly #seen: number[];
  #told = 0;

  constructor(inputs: number) {
    this.#hasLines = Array.from({ length: inputs }, () => false);
    this.#seen = Array.from({ length: inputs }, () => 0);
  }

  sawLine(input: number): void {
    this.#hasLines[input] = true;
  }

  /** Whether an input's disconnect is new. @param count number of consecutive empty lines. */
  isNew(input: number, count: number): boolean {
    const seen = (this.#seen[input] ?? 0) + count;
    this.#seen[input] = seen;
    if (!this.#hasLines[input] && seen <= this.#told) return false;
    this.#told = Math.max(this.#told, seen);
    this.#hasLines.fill(false);
    return true;
  }
}
