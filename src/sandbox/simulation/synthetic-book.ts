import { type BookSnapshot, BookSnapshots } from '../../market/book-snapshots.js';
import type { BookSnapshotType } from '../../market/message-type-name.js';
import { OrderBook } from '../../market/order-book.js';
import type { EventOf } from './market-event.js';
import type { Random } from './seeded-random.js';
import type { SyntheticInstrument } from './synthetic-instrument.js';

export interface BookLevel {
  readonly ticks: number;
  readonly lots: number;
}

/** A level with its new amount; 0 lots remove the level. */
export interface LevelChange extends BookLevel {
  readonly isAsk: boolean;
}

/** Maximum number of levels in a change of the book. */
export const MAX_LEVEL_CHANGES = 4;

/**
 * The order book of a synthetic market, with a fixed number of levels per side, best first. Its price is a random walk,
 * and bids stay below asks. Each method that changes the book returns the changed levels.
 */
export class SyntheticBook {
  readonly #asks: BookLevel[] = [];
  readonly #bids: BookLevel[] = [];

  /** @param depth levels per side, at least 1. */
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

  /** All levels of the book. */
  snapshot(): LevelChange[] {
    return [
      ...this.#asks.map((level) => ({ isAsk: true, ...level })),
      ...this.#bids.map((level) => ({ isAsk: false, ...level })),
    ];
  }

  /** Changes the amount of a level; levels near the best are the most likely. */
  resize(): LevelChange[] {
    const isAsk = this.random.chance(0.5);
    const index = Math.floor(this.depth * this.random.next() ** 3);
    const { ticks } = this.#side(isAsk)[index] as BookLevel;
    return [this.#set(isAsk, index, 1, this.#level(ticks))];
  }

  /** Reduces the amount of the best level. @param lots fewer than the best level has. */
  reduce(isAsk: boolean, lots: number): LevelChange[] {
    const best = this.best(isAsk);
    return [this.#set(isAsk, 0, 1, { ticks: best.ticks, lots: best.lots - lots })];
  }

  /** Removes the best level and adds one after the last. The other side follows if there is room. */
  move(isAsk: boolean): LevelChange[] {
    const sign = isAsk ? 1 : -1;
    const side = this.#side(isAsk);
    const deepest = (side.at(-1) as BookLevel).ticks;
    const changes = [
      this.#remove(isAsk, 0),
      this.#set(isAsk, side.length, 0, this.#level(deepest + sign * this.#gap())),
    ];
    const nextTicks = this.best(isAsk).ticks - sign * (1 + this.random.int(2));
    if (sign * (nextTicks - this.best(!isAsk).ticks) > 0) {
      changes.push(this.#remove(!isAsk, this.depth - 1), this.#set(!isAsk, 0, 0, this.#level(nextTicks)));
    }
    return changes;
  }

  #side(isAsk: boolean): BookLevel[] {
    return isAsk ? this.#asks : this.#bids;
  }

  #set(isAsk: boolean, index: number, replaced: number, level: BookLevel): LevelChange {
    this.#side(isAsk).splice(index, replaced, level);
    return { isAsk, ...level };
  }

  #remove(isAsk: boolean, index: number): LevelChange {
    const [level] = this.#side(isAsk).splice(index, 1) as [BookLevel];
    return { isAsk, ticks: level.ticks, lots: 0 };
  }

  /** Ticks between two levels: usually few, sometimes many. */
  #gap(): number {
    return 1 + Math.floor(60 * this.random.next() ** 3);
  }

  #level(ticks: number): BookLevel {
    return { ticks, lots: 1 + Math.floor(20_000 * this.random.next() ** 4) };
  }
}

/**
 * Tracks the best `depth` levels of a market, with the order book of `src/market` and the changes of the L2 file.
 * @param onState called when the levels change; the state object is reused.
 */
export function createBookStateTracker(
  instrument: SyntheticInstrument,
  depth: number,
  onState: (state: BookSnapshot) => void,
): (change: EventOf<'book_change'>) => void {
  const type: BookSnapshotType = {
    kind: 'book_snapshot',
    name: `book_snapshot_${depth}_0ms`,
    depth,
    interval: 0,
    grouping: undefined,
    dayFileType: 'incremental_book_L2',
  };
  const book = new OrderBook();
  const states = new BookSnapshots(type, instrument, book, onState);
  return ({ isSnapshot, asks, bids, timestamp, localTimestamp }) => {
    book.begin(isSnapshot);
    for (const { price, amount } of asks) book.level(true, price, amount);
    for (const { price, amount } of bids) book.level(false, price, amount);
    states.beforeChange(timestamp);
    book.commit();
    states.afterChange(timestamp, localTimestamp, true);
  };
}
