import { type BookSnapshot, BookSnapshots } from './book-snapshots.js';
import type { BookSnapshotType, NormalizedType, TradeBarType } from './message-type-name.js';
import type { Instrument } from './messages.js';
import { OrderBook } from './order-book.js';
import { type LastClose, type Period, type TradeBar, TradeBars } from './trade-bars.js';

/** Receives computed bars and snapshots. The functions are created once per type and instrument. */
export interface ComputedSink {
  createBarSink(type: TradeBarType, instrument: Instrument): (bar: TradeBar) => void;
  createSnapshotSink(type: BookSnapshotType, instrument: Instrument): (snapshot: BookSnapshot) => void;
}

/**
 * Computes bars and book snapshots of one instrument from its trades and book changes, for day files, feeds and live
 * messages. Results are emitted in the order of the types. Times are microseconds; `micros` is whether `timestamp` has
 * microseconds in lines.
 */
export class InstrumentPipeline {
  readonly #bars: readonly TradeBars[];
  /** Undefined without types that need it. */
  readonly #book: OrderBook | undefined;
  readonly #snapshots: readonly BookSnapshots[];

  /** @param types source types are ignored. @param day and `findPrevious`: see `TradeBars`. */
  constructor(
    instrument: Instrument,
    types: readonly NormalizedType[],
    sink: ComputedSink,
    day?: Period,
    findPrevious?: (type: TradeBarType) => LastClose | undefined,
  ) {
    this.#bars = types
      .filter((type) => type.kind === 'trade_bar')
      .map((type) => {
        const emit = sink.createBarSink(type, instrument);
        return new TradeBars(type, instrument, emit, day, findPrevious?.(type));
      });
    const snapshotTypes = types.filter((type) => type.kind === 'book_snapshot');
    const book = snapshotTypes.length > 0 ? new OrderBook() : undefined;
    this.#book = book;
    this.#snapshots = book
      ? snapshotTypes.map(
          (type) => new BookSnapshots(type, instrument, book, sink.createSnapshotSink(type, instrument)),
        )
      : [];
  }

  /** @param side a value of `TRADE_SIDE`. */
  trade(
    price: number,
    amount: number,
    side: number,
    timestamp: number,
    localTimestamp: number,
    micros: boolean,
  ): void {
    const bars = this.#bars;
    for (let i = 0; i < bars.length; i++)
      (bars[i] as TradeBars).add(price, amount, side, timestamp, localTimestamp, micros);
  }

  get bars(): readonly TradeBars[] {
    return this.#bars;
  }

  /** Emits the open bars of a day file. */
  endDay(): void {
    for (const bars of this.#bars) bars.end();
  }

  /** Starts a book change: its levels follow, then `endChange` or `applyChange`. */
  beginChange(isSnapshot: boolean): void {
    this.#book?.begin(isSnapshot);
  }

  level(isAsk: boolean, price: number, amount: number): void {
    this.#book?.level(isAsk, price, amount);
  }

  /** Ends a change before the requested period: it only updates the book. */
  applyChange(): void {
    this.#book?.commit();
  }

  endChange(timestamp: number, localTimestamp: number, micros: boolean): void {
    const book = this.#book;
    if (!book) return;
    const snapshots = this.#snapshots;
    for (let i = 0; i < snapshots.length; i++) (snapshots[i] as BookSnapshots).beforeChange(timestamp);
    book.commit();
    for (let i = 0; i < snapshots.length; i++)
      (snapshots[i] as BookSnapshots).afterChange(timestamp, localTimestamp, micros);
  }
}
