import { ANY_SHARE, MixedMessage, type SymbolShares } from '../../dialects/symbol-shares.js';
import type { LineBuffer } from '../../market/lines/line-buffer.js';

/** Index of one of several readers of a feed; plain data. */
export interface ShareIndex {
  readonly index: number;
  readonly count: number;
}

/**
 * Selects the lines of a feed that one of several readers normalizes. All readers iterate over all lines, and
 * each one normalizes the messages of its symbols. The position of an output line is the number of its input
 * line, so the outputs of all readers can be merged in order.
 */
export class ShareTracker {
  /** Number of input lines processed so far. */
  #line = 0;
  #positions = new Float64Array(4096);
  readonly #index: number;
  readonly #shares: SymbolShares;
  /** Share that the current line seems to belong to. */
  #suggestedShare = 0;

  constructor(index: number, shares: SymbolShares) {
    this.#index = index;
    this.#shares = shares;
  }

  /**
   * Whether a line certainly belongs to another reader. @param share the share that it seems to belong to.
   */
  belongsToOther(share = ANY_SHARE): boolean {
    this.#suggestedShare = share;
    return share !== this.#index && share !== ANY_SHARE;
  }

  /**
   * Whether a parsed message belongs to this reader. @throws MixedMessage if its share is not the one its
   * line suggested.
   */
  isOwn(message: unknown): boolean {
    const messageShare = this.#shares.findMessageShare(message);
    if (this.#suggestedShare !== ANY_SHARE && messageShare !== this.#suggestedShare) throw new MixedMessage();
    return messageShare === this.#index;
  }

  /** Whether this reader outputs the lines that all readers produce, such as disconnects. */
  get outputsDisconnects(): boolean {
    return this.#index === 0;
  }

  /**
   * Records the positions of an input line's output. @param countBefore lines in the buffer before the input
   * line.
   */
  endLine({ count }: LineBuffer, countBefore: number): void {
    if (count > this.#positions.length) this.#grow(count);
    for (let at = countBefore; at < count; at++) this.#positions[at] = this.#line;
    this.#line++;
  }

  /** The positions of a buffer's lines, followed by one that is before those of all later lines. */
  copyPositions({ count }: LineBuffer): Float64Array {
    const positions = new Float64Array(count + 1);
    positions.set(this.#positions.subarray(0, count));
    positions[count] = this.#line - 0.5;
    return positions;
  }

  #grow(count: number): void {
    const larger = new Float64Array(2 * count);
    larger.set(this.#positions);
    this.#positions = larger;
  }
}
