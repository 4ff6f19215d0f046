import type { Batch, Schema } from '../../format/batch.js';
import { type BookSnapshot, BookSnapshots } from '../book/book-snapshots.js';
import { OrderBook } from '../book/order-book.js';
import type { BookSnapshotType, TradeBarType } from '../names/data-type-name.js';
import { type Period, type TradeBar, TradeBars } from '../trade-bars.js';
import { BookRows } from './book-rows.js';
import { Instruments } from './instruments.js';
import { processTrades } from './process-trades.js';

/** Computed types of one day file: batches go in, in the file's order; results come out by the callback. */
export interface ComputedStream {
  push(batch: Batch): void;
  /** The file is at its end. */
  end(): void;
}

const UNBOUNDED_PERIOD: Period = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/**
 * Bars of a day file of trades, as the contract has them (Computed types of day files): all trades lie within the
 * day, and the bar that is open at its end is given too, by the instruments' first appearance.
 * @param day the file's day, in microseconds.
 * @param emit takes each bar as it is done; the record is used again.
 */
export function createBarStream(
  schema: Schema,
  types: readonly TradeBarType[],
  day: Period,
  emit: (bar: TradeBar) => void,
): ComputedStream {
  const instruments = new Instruments(schema, (instrument) => ({
    bars: types.map((type) => new TradeBars(type, instrument, emit, day)),
  }));
  return {
    push: (batch) => processTrades(batch, schema, instruments, UNBOUNDED_PERIOD, undefined),
    end: () => {
      for (const { bars } of instruments.states) for (const one of bars) one.end();
    },
  };
}

/**
 * Snapshots of a day file of incremental_book_L2. A state that still waits for its interval at the end is not given.
 * @param emit takes each snapshot as it is due; the record is used again.
 */
export function createSnapshotStream(
  schema: Schema,
  types: readonly BookSnapshotType[],
  emit: (snapshot: BookSnapshot) => void,
): ComputedStream {
  const instruments = new Instruments(schema, (instrument) => {
    const book = new OrderBook();
    return { book, snapshots: types.map((type) => new BookSnapshots(type, instrument, book, emit)) };
  });
  const rows = new BookRows(schema, instruments, UNBOUNDED_PERIOD);
  return { push: (batch) => rows.push(batch), end: () => rows.end() };
}
