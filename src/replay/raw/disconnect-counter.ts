/**
 * Deduplicates disconnects. If one feed is requested in several parts, each part marks every disconnect of a
 * shared connection. A disconnect is new if its input gave a line since the last new one, or has more
 * disconnects than any other input.
 */
export class DisconnectCounter {
  readonly #hasLines: boolean[];
  /** Empty lines of each input, and below the largest number that was counted. */
  readonly #seen: number[];
  #counted = 0;

  constructor(inputs: number) {
    this.#hasLines = Array.from({ length: inputs }, () => false);
    this.#seen = Array.from({ length: inputs }, () => 0);
  }

  onLine(input: number): void {
    this.#hasLines[input] = true;
  }

  /** Whether an input's disconnect is new. @param count number of consecutive empty lines. */
  isNew(input: number, count: number): boolean {
    const seen = (this.#seen[input] ?? 0) + count;
    this.#seen[input] = seen;
    if (!this.#hasLines[input] && seen <= this.#counted) return false;
    this.#counted = Math.max(this.#counted, seen);
    this.#hasLines.fill(false);
    return true;
  }
}
