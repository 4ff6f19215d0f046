import { type BookSnapshot, BookSnapshots } from '../../market/book/book-snapshots.js';
import { OrderBook } from '../../market/book/order-book.js';
import type { BookSnapshotType } from '../../market/names/data-type-name.js';
import type { BookChangeEvent } from './market-event.js';
import type { SyntheticInstrument } from './synthetic-instrument.js';

/**
 * The best `depth` levels of a market, each time that they change: of the book that `src/market` makes of the very
 * changes of the L2 file.
 * @param onState is given a state that is used again for the next one.
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
    dayFiles: 'incremental_book_L2',
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
