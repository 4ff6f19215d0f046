import type { Instrument } from '../instrument.js';
import type { BookSnapshotType } from '../names/message-type-name.js';
import type { OrderBook } from './order-book.js';
import { type SideLevels, TopLevels } from './top-levels.js';

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
