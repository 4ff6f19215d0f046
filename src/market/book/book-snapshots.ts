import type { Instrument } from '../instrument.js';
import type { BookSnapshotType } from '../names/data-type-name.js';
import type { OrderBook } from './order-book.js';
import { type SideLevels, TopLevels } from './top-levels.js';

/** The state of a book at a time. It is used again: whoever keeps it copies it. */
export interface BookSnapshot {
  readonly type: BookSnapshotType;
  readonly instrument: Instrument;
  readonly bids: SideLevels;
  readonly asks: SideLevels;
  /** Microseconds: the end of the interval, or the change's own time. */
  readonly timestamp: number;
  /** Whether lines have `timestamp` to the microsecond. */
  readonly micros: boolean;
  /** Microseconds: that of the change that brought it out. */
  readonly localTimestamp: number;
}

/**
 * Snapshots of one order book (replay facts, book_snapshot). The first state is given at once; later ones, with an
 * interval, when a change of any depth comes in a later interval and something in the depth has changed: as it was
 * before that change, at its interval's end.
 *
 * For each change of the book, in this order: `beforeChange`, the book's `commit`, `afterChange`.
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
  /** Whether the depth differs from what was given last. */
  #changed = false;
  /** Whether the levels here are not read anew: once it is known that they changed, they are read when needed. */
  #stale = true;
  /** The end of the interval of the change before, in whole milliseconds. */
  #end = Number.POSITIVE_INFINITY;

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
    if (this.#stale && this.#changed && Math.floor(timestamp / 1000) >= this.#end) this.#read();
  }

  /**
   * @param timestamp the change's exchange time, in microseconds.
   * @param micros whether lines have that time to the microsecond.
   */
  afterChange(timestamp: number, localTimestamp: number, micros: boolean): void {
    const { interval } = this.type;
    const ms = Math.floor(timestamp / 1000);
    this.localTimestamp = localTimestamp;
    if (this.#changed && ms >= this.#end) this.#give(this.#end * 1000, false);
    this.#update();
    if (interval > 0 && (ms >= this.#end || ms < this.#end - interval)) {
      this.#end = (Math.floor(ms / interval) + 1) * interval;
    }
    if (this.#changed && (interval === 0 || !this.#started)) {
      this.#started = true;
      this.#give(timestamp, micros);
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

  #give(timestamp: number, micros: boolean): void {
    this.timestamp = timestamp;
    this.micros = micros;
    this.#changed = false;
    this.#emit(this);
  }
}
