import type { BookSnapshotType } from './message-type-name.js';
import type { Instrument } from './messages.js';
import type { BookSide, LevelBlock, OrderBook } from './order-book.js';

/** The state of a book at a time. The object is reused, so copy it to keep it. */
export interface BookSnapshot {
  readonly type: BookSnapshotType;
  readonly instrument: Instrument;
  readonly bids: SideLevels;
  readonly asks: SideLevels;
  /** Microseconds: the end of the interval, or the time of the change. */
  readonly timestamp: number;
  /** Whether `timestamp` has microseconds in lines. */
  readonly micros: boolean;
  /** Microseconds: that of the change that caused the snapshot. */
  readonly localTimestamp: number;
}

/**
 * Snapshots of one order book (docs/spec/computed-data.md#book-snapshots). The first state is emitted at
 * once. With an interval, a later state is emitted if a level up to the depth has changed, and a change of
 * any depth is in a later interval: the state before that change, with the end of its interval.
 *
 * For each change of the book, call `beforeChange`, the book's `commit`, and `afterChange`, in this order.
 */
export class BookSnapshots implements BookSnapshot {
  readonly bids: TopLevels;
  readonly asks: TopLevels;
  timestamp = 0;
  micros = false;
  localTimestamp = 0;
  readonly #book: OrderBook;
  readonly #emit: (snapshot: BookSnapshot) => void;
  #started = false;
  /** Whether the levels differ from the last snapshot. */
  #changed = false;
  /** Whether the levels here are outdated. Once a change is known, they are read only when needed. */
  #stale = true;
  /** The end of the interval of the previous change, in whole milliseconds. */
  #intervalEndMs = Number.POSITIVE_INFINITY;

  constructor(
    readonly type: BookSnapshotType,
    readonly instrument: Instrument,
    book: OrderBook,
    emit: (snapshot: BookSnapshot) => void,
  ) {
    this.#book = book;
    this.#emit = emit;
    this.bids = new TopLevels(type.depth, type.grouping);
    this.asks = new TopLevels(type.depth, type.grouping);
  }

  /** @param timestamp the change's exchange time, in microseconds. */
  beforeChange(timestamp: number): void {
    if (this.#stale && this.#changed && Math.floor(timestamp / 1000) >= this.#intervalEndMs) this.#read();
  }

  /**
   * @param timestamp the change's exchange time, in microseconds.
   * @param micros whether this time has microseconds in lines.
   */
  afterChange(timestamp: number, localTimestamp: number, micros: boolean): void {
    const { interval } = this.type;
    const ms = Math.floor(timestamp / 1000);
    this.localTimestamp = localTimestamp;
    if (this.#changed && ms >= this.#intervalEndMs) this.#emitSnapshot(this.#intervalEndMs * 1000, false);
    this.#update();
    if (interval > 0 && (ms >= this.#intervalEndMs || ms < this.#intervalEndMs - interval)) {
      this.#intervalEndMs = (Math.floor(ms / interval) + 1) * interval;
    }
    if (this.#changed && (interval === 0 || !this.#started)) {
      this.#started = true;
      this.#emitSnapshot(timestamp, micros);
    }
  }

  #update(): void {
    const { bids, asks } = this.#book;
    if (this.#changed) {
      this.#stale = true;
    } else if (this.#stale) {
      this.#changed = this.#read();
    } else {
      const bidsChanged = bids.touched < this.bids.reach && this.bids.read(bids);
      const asksChanged = asks.touched < this.asks.reach && this.asks.read(asks);
      this.#changed = bidsChanged || asksChanged;
    }
  }

  #read(): boolean {
    this.#stale = false;
    const bidsChanged = this.bids.read(this.#book.bids);
    return this.asks.read(this.#book.asks) || bidsChanged;
  }

  #emitSnapshot(timestamp: number, micros: boolean): void {
    this.timestamp = timestamp;
    this.micros = micros;
    this.#changed = false;
    this.#emit(this);
  }
}

/** The best levels of one side, best first. */
export interface SideLevels {
  readonly prices: Float64Array;
  readonly amounts: Float64Array;
  /** Number of levels; later array elements have no meaning. */
  readonly count: number;
}

/** Reads the best levels of a side, grouped or not, and compares them with the previous ones. */
export class TopLevels implements SideLevels {
  readonly prices: Float64Array;
  readonly amounts: Float64Array;
  count = 0;
  /** Changes at this rank or after it have no effect here. */
  reach = 0;
  readonly #depth: number;
  readonly #grouping: Grouping | undefined;

  constructor(depth: number, grouping: number | undefined) {
    this.#depth = depth;
    this.#grouping = grouping === undefined ? undefined : createGrouping(grouping);
    this.prices = new Float64Array(depth);
    this.amounts = new Float64Array(depth);
  }

  /** @returns whether a level differs from the previous read. */
  read(side: BookSide): boolean {
    return this.#grouping ? this.#readGroups(side, this.#grouping) : this.#readLevels(side);
  }

  #readLevels({ blocks, sign }: BookSide): boolean {
    let changed = false;
    let rank = 0;
    this.reach = this.#depth;
    for (let b = blocks.length - 1; b >= 0 && rank < this.#depth; b--) {
      const { keys, amounts, size } = blocks[b] as LevelBlock;
      for (let i = size - 1; i >= 0 && rank < this.#depth; i--) {
        if (this.#setLevel(rank++, sign * (keys[i] as number), amounts[i] as number)) changed = true;
      }
    }
    return this.#setCount(rank) || changed;
  }

  /** Amounts of a group are added in the book's order, so that the sum is the same double everywhere. */
  #readGroups({ blocks, sign }: BookSide, grouping: Grouping): boolean {
    let changed = false;
    let groups = 0;
    let price = Number.NaN;
    let amount = 0;
    let rank = 0;
    for (let b = blocks.length - 1; b >= 0; b--) {
      const { keys, amounts, size } = blocks[b] as LevelBlock;
      for (let i = size - 1; i >= 0; i--, rank++) {
        const next = roundToGroup(sign * (keys[i] as number), sign, grouping);
        if (next !== price) {
          if (rank > 0 && this.#setLevel(groups++, price, amount)) changed = true;
          if (groups === this.#depth) {
            this.reach = rank + 1;
            return this.#setCount(groups) || changed;
          }
          price = next;
          amount = 0;
        }
        amount += amounts[i] as number;
      }
    }
    if (rank > 0 && this.#setLevel(groups++, price, amount)) changed = true;
    this.reach = Number.POSITIVE_INFINITY;
    return this.#setCount(groups) || changed;
  }

  #setLevel(at: number, price: number, amount: number): boolean {
    if (at < this.count && this.prices[at] === price && this.amounts[at] === amount) return false;
    this.prices[at] = price;
    this.amounts[at] = amount;
    return true;
  }

  #setCount(count: number): boolean {
    const changed = count !== this.count;
    this.count = count;
    return changed;
  }
}

/** Prices are rounded as integers if possible: price and multiple are scaled by a power of ten. */
interface Grouping {
  readonly power: number;
  /** The multiple, times the power. */
  readonly scaled: number;
}

function createGrouping(multiple: number): Grouping {
  const power = 10 ** countDecimals(multiple);
  return { power, scaled: multiple * power };
}

/** Decimals of a number in its shortest form. */
function countDecimals(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}

/**
 * The multiple below a bid, or above an ask. The arithmetic has the order of the vendor's clients, so that
 * the double is the same, although `/ power * power` looks redundant
 * (docs/spec/computed-data.md#grouped-snapshots).
 */
function roundToGroup(price: number, sign: 1 | -1, { power, scaled }: Grouping): number {
  const scaledPrice = price * power;
  const rest = (scaledPrice % scaled) / power;
  // `%` rounds towards 0, so a negative bid needs one more step down, and a positive ask one up.
  const offset = rest * sign < 0 ? -sign * scaled : 0;
  return (scaledPrice - rest * power + offset) / power;
}
