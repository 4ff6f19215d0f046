import { ANY_SHARE, MixedMessage, type SymbolShares } from '../../dialects/symbol-shares.js';
import type { LineBuffer } from '../../market/lines/line-buffer.js';

/** Which of several readers of a feed one is; plain data. */
export interface ShareIndex {
  readonly index: number;
  readonly count: number;
}

/**
 * What one of several readers of a feed does with its lines. All go through all lines, and each reads those of its
 * symbols. The place of what is made of a line is the line's number, so that what all made can be merged in order.
 */
export class ShareTracker {
  /** Lines that this reader has gone through. */
  #line = 0;
  #places = new Float64Array(4096);
  readonly #index: number;
  readonly #shares: SymbolShares;
  /** Whose the line at hand seems to be. */
  #seems = 0;

  constructor(index: number, shares: SymbolShares) {
    this.#index = index;
    this.#shares = shares;
  }

  /** Whether a line is surely another's. @param share whose it seems to be. */
  isOthers(share = ANY_SHARE): boolean {
    this.#seems = share;
    return share !== this.#index && share !== ANY_SHARE;
  }

  /** Whether a message of a line that may be ours is. @throws MixedMessage where it is not what its line seemed to be. */
  isOurs(message: unknown): boolean {
    const its = this.#shares.ofMessage(message);
    if (this.#seems !== ANY_SHARE && its !== this.#seems) throw new MixedMessage();
    return its === this.#index;
  }

  /** Whether lines that all readers make are given by this one. */
  get tellsBreaks(): boolean {
    return this.#index === 0;
  }

  /** A line is done. @param before how many lines there were in the buffer. */
  endLine({ count }: LineBuffer, before: number): void {
    if (count > this.#places.length) this.#grow(count);
    for (let at = before; at < count; at++) this.#places[at] = this.#line;
    this.#line++;
  }

  /** The places of the lines of a buffer, and behind them one that is before those of all lines to come. */
  placesOf({ count }: LineBuffer): Float64Array {
    const places = new Float64Array(count + 1);
    places.set(this.#places.subarray(0, count));
    places[count] = this.#line - 0.5;
    return places;
  }

  #grow(count: number): void {
    const larger = new Float64Array(2 * count);
    larger.set(this.#places);
    this.#places = larger;
  }
}
