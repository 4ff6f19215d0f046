import type { Random } from './seeded-random.js';

export interface BookLevel {
  readonly ticks: number;
  readonly lots: number;
}

/** A level set to a new amount; of 0 lots, removed. */
export interface LevelChange extends BookLevel {
  readonly isAsk: boolean;
}

/** A change of the book has at most so many levels. */
export const MAX_LEVEL_CHANGES = 4;

/**
 * The order book of a made-up market, of a fixed number of levels a side, best first. Its price walks, and bids stay
 * below asks. Each step returns what it changed.
 */
export class SyntheticBook {
  readonly #asks: BookLevel[] = [];
  readonly #bids: BookLevel[] = [];

  /** @param depth levels a side, at least 1. */
  constructor(
    openTicks: number,
    readonly depth: number,
    readonly random: Random,
  ) {
    for (let i = 0; i < depth; i++) {
      this.#asks.push(this.#level((this.#asks.at(-1)?.ticks ?? openTicks) + this.#gap()));
      this.#bids.push(this.#level((this.#bids.at(-1)?.ticks ?? openTicks) - this.#gap()));
    }
  }

  best(isAsk: boolean): BookLevel {
    return this.#side(isAsk)[0] as BookLevel;
  }

  /** The whole book. */
  snapshot(): LevelChange[] {
    return [
      ...this.#asks.map((level) => ({ isAsk: true, ...level })),
      ...this.#bids.map((level) => ({ isAsk: false, ...level })),
    ];
  }

  /** A level gets another amount, those near the best most often. */
  resize(): LevelChange[] {
    const isAsk = this.random.chance(0.5);
    const at = Math.floor(this.depth * this.random.next() ** 3);
    const { ticks } = this.#side(isAsk)[at] as BookLevel;
    return [this.#set(isAsk, at, 1, this.#level(ticks))];
  }

  /** @param lots fewer than the best level has. */
  reduce(isAsk: boolean, lots: number): LevelChange[] {
    const best = this.best(isAsk);
    return [this.#set(isAsk, 0, 1, { ticks: best.ticks, lots: best.lots - lots })];
  }

  /** The best level goes, another one comes behind the last, and the other side follows where there is room. */
  move(isAsk: boolean): LevelChange[] {
    const sign = isAsk ? 1 : -1;
    const side = this.#side(isAsk);
    const deepest = (side.at(-1) as BookLevel).ticks;
    const changes = [
      this.#remove(isAsk, 0),
      this.#set(isAsk, side.length, 0, this.#level(deepest + sign * this.#gap())),
    ];
    const follow = this.best(isAsk).ticks - sign * (1 + this.random.int(2));
    if (sign * (follow - this.best(!isAsk).ticks) > 0) {
      changes.push(this.#remove(!isAsk, this.depth - 1), this.#set(!isAsk, 0, 0, this.#level(follow)));
    }
    return changes;
  }

  #side(isAsk: boolean): BookLevel[] {
    return isAsk ? this.#asks : this.#bids;
  }

  #set(isAsk: boolean, at: number, replaced: number, level: BookLevel): LevelChange {
    this.#side(isAsk).splice(at, replaced, level);
    return { isAsk, ...level };
  }

  #remove(isAsk: boolean, at: number): LevelChange {
    const [level] = this.#side(isAsk).splice(at, 1) as [BookLevel];
    return { isAsk, ticks: level.ticks, lots: 0 };
  }

  /** Ticks from one level to the next: few as a rule, and sometimes many. */
  #gap(): number {
    return 1 + Math.floor(60 * this.random.next() ** 3);
  }

  #level(ticks: number): BookLevel {
    return { ticks, lots: 1 + Math.floor(20_000 * this.random.next() ** 4) };
  }
}
