import type { BookLevel, LevelChange } from '../market/synthetic-book.js';

/** The current book, to send it as a snapshot. */
export class WholeBook {
  readonly #asks = new Map<number, BookLevel>();
  readonly #bids = new Map<number, BookLevel>();

  apply(isSnapshot: boolean, levels: readonly LevelChange[]): void {
    if (isSnapshot) {
      this.#asks.clear();
      this.#bids.clear();
    }
    for (const { isAsk, ticks, lots } of levels) {
      const side = isAsk ? this.#asks : this.#bids;
      if (lots === 0) side.delete(ticks);
      else side.set(ticks, { ticks, lots });
    }
  }

  /** Asks, then bids, best first. */
  levels(): readonly LevelChange[] {
    const asks = [...this.#asks.values()].sort((a, b) => a.ticks - b.ticks);
    const bids = [...this.#bids.values()].sort((a, b) => b.ticks - a.ticks);
    return [
      ...asks.map((level) => ({ isAsk: true, ...level })),
      ...bids.map((level) => ({ isAsk: false, ...level })),
    ];
  }
}
