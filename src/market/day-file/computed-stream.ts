import type { Batch, Schema } from '../../format/batch.js';
import { type BookSnapshot, BookSnapshots } from '../book/book-snapshots.js';
import { OrderBook } from '../book/order-book.js';
import type { BookSnapshotType, TradeBarType } from '../names/message-type-name.js';
import { type Period, type TradeBar, TradeBars } from '../trade-bars.js';
import { BookRows } from './book-rows.js';
import { Instruments } from './instruments.js';
import { processTrades } from './process-trades.js';

/** Computes types of one day file. Push its batches in order; results are passed to a callback. */
export interface ComputedStream {
  push(batch: Batch): void;
  /** Ends the file. */
  end(): void;
}

const UNBOUNDED_PERIOD: Period = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/**
 * Computes bars of a day file of trades (docs/spec/computed-data.md#day-files). All trades count as within
 * the day, and the bars that are open at the end of the file are emitted, too, by first appearance of the
 * instruments.
 * @param day the file's day, in microseconds.
 * @param emit called with each complete bar; the object is reused.
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
      for (const { bars } of instruments.states) for (const bar of bars) bar.end();
    },
  };
}

/**
 * Computes snapshots of a day file of incremental_book_L2. A state that waits for the end of its interval
 * when the file ends is not emitted.
 * @param emit called with each snapshot; the object is reused.
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
