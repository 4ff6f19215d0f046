import type { Instrument } from './instrument.js';
import type { Random } from './random.js';

/** A price level of a book. */
export interface Level {
  readonly ticks: number;
  /** `price,amount`. */
  readonly text: string;
}

/** A level set to a new amount, or removed. */
export interface Change {
  readonly side: 'ask' | 'bid';
  /** `price,amount`; the amount is 0 for a removed level. */
  readonly text: string;
}

/** An order book of a fixed depth, best level first, whose bids stay below its asks while its price walks. */
export class Book {
  readonly asks: Level[] = [];
  readonly bids: Level[] = [];
  /** What the last step changed. */
  changes: Change[] = [];

  constructor(
    readonly instrument: Instrument,
    readonly depth: number,
    readonly random: Random,
  ) {
    for (let i = 0; i < depth; i++) {
      this.asks.push(this.#level((this.asks.at(-1)?.ticks ?? instrument.openTicks) + 1 + random.int(4)));
      this.bids.push(this.#level((this.bids.at(-1)?.ticks ?? instrument.openTicks) - 1 - random.int(4)));
    }
  }

  /** One event: an amount that changes, or a best level that is eaten and the other side following. */
  step(): void {
    this.changes = [];
    const dice = this.random.next();
    if (dice < 0.6) this.#resize(this.random.chance(0.5) ? 'ask' : 'bid');
    else this.#move(dice < 0.8 || (this.bids.at(-1)?.ticks ?? 0) < 100 ? 'up' : 'down');
  }

  #resize(side: 'ask' | 'bid'): void {
    const levels = side === 'ask' ? this.asks : this.bids;
    const i = Math.floor(this.depth * this.random.next() ** 3);
    const old = levels[i];
    if (old) this.#set(side, levels, i, 1, this.#level(old.ticks));
  }

  #move(direction: 'up' | 'down'): void {
    const sign = direction === 'up' ? 1 : -1;
    const [eatenSide, otherSide] = direction === 'up' ? (['ask', 'bid'] as const) : (['bid', 'ask'] as const);
    const [eaten, other] = direction === 'up' ? [this.asks, this.bids] : [this.bids, this.asks];
    this.#remove(eatenSide, eaten, 0);
    const deepest = eaten.at(-1)?.ticks ?? this.instrument.openTicks;
    this.#set(eatenSide, eaten, eaten.length, 0, this.#level(deepest + sign * (1 + this.random.int(4))));
    const follow = (eaten[0]?.ticks ?? 0) - sign * (1 + this.random.int(2));
    if (sign * (follow - (other[0]?.ticks ?? 0)) > 0) {
      this.#remove(otherSide, other, other.length - 1);
      this.#set(otherSide, other, 0, 0, this.#level(follow));
    }
  }

  #set(side: 'ask' | 'bid', levels: Level[], at: number, replaced: number, level: Level): void {
    levels.splice(at, replaced, level);
    this.changes.push({ side, text: level.text });
  }

  #remove(side: 'ask' | 'bid', levels: Level[], at: number): void {
    for (const level of levels.splice(at, 1))
      this.changes.push({ side, text: `${this.#price(level.ticks)},0` });
  }

  #level(ticks: number): Level {
    const lots = 1 + Math.floor(20_000 * this.random.next() ** 4);
    return { ticks, text: `${this.#price(ticks)},${lots / this.instrument.lotsPerUnit}` };
  }

  #price(ticks: number): number {
    return ticks / this.instrument.ticksPerUnit;
  }
}
