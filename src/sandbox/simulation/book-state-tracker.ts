import { type BookSnapshot, BookSnapshots } from '../../market/book-snapshots.js';
import type { BookSnapshotType } from '../../market/message-type-name.js';
import { OrderBook } from '../../market/order-book.js';
import type { EventOf } from './market-event.js';
import type { SyntheticInstrument } from './synthetic-instrument.js';

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
