import { type BookSnapshot, BookSnapshots } from '../../market/book/book-snapshots.js';
import { OrderBook } from '../../market/book/order-book.js';
import type { BookSnapshotType } from '../../market/names/message-type-name.js';
import type { BookChangeEvent } from './market-event.js';
import type { SyntheticInstrument } from './synthetic-instrument.js';

/**
 * Tracks the best `depth` levels of a market, with the order book of `src/market` and the changes of the L2 file.
 * @param onState called when the levels change; the state object is reused.
 */
export function createBookStateTracker(
  instrument: SyntheticInstrument,
  depth: number,
  onState: (state: BookSnapshot) => void,
): (change: BookChangeEvent) => void {
  const { ticksPerUnit, lotsPerUnit } = instrument;
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
  return ({ isSnapshot, levels, timestamp, localTimestamp }) => {
    book.begin(isSnapshot);
    for (const { isAsk, ticks, lots } of levels) book.level(isAsk, ticks / ticksPerUnit, lots / lotsPerUnit);
    states.beforeChange(timestamp);
    book.commit();
    states.afterChange(timestamp, localTimestamp, true);
  };
}
