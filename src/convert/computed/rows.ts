import type { BookSnapshot } from '../../market/book/book-snapshots.js';
import type { Top } from '../../market/book/top-levels.js';
import type { TradeBar } from '../../market/trade-bars.js';
import type { RowGatherer } from './row-gatherer.js';

/** Puts a bar as a row, in the order of `computedColumns`. */
export function putBar(bar: TradeBar, rows: RowGatherer): void {
  rows.begin(bar.instrument);
  rows.put(bar.timestamp);
  rows.put(bar.localTimestamp);
  rows.put(bar.open);
  rows.put(bar.high);
  rows.put(bar.low);
  rows.put(bar.close);
  rows.put(bar.volume);
  rows.put(bar.buyVolume);
  rows.put(bar.sellVolume);
  rows.put(bar.trades);
  rows.put(bar.vwap);
  rows.put(bar.openTimestamp);
  rows.put(bar.closeTimestamp);
}

/** Puts a snapshot as a row, in the order of `computedColumns`; levels that the book lacks are empty. */
export function putSnapshot(snapshot: BookSnapshot, rows: RowGatherer): void {
  const { asks, bids, type } = snapshot;
  rows.begin(snapshot.instrument);
  rows.put(snapshot.timestamp);
  rows.put(snapshot.localTimestamp);
  for (let level = 0; level < type.depth; level++) {
    putLevel(asks, level, rows);
    putLevel(bids, level, rows);
  }
}

function putLevel({ prices, amounts, count }: Top, level: number, rows: RowGatherer): void {
  rows.put(level < count ? (prices[level] as number) : Number.NaN);
  rows.put(level < count ? (amounts[level] as number) : Number.NaN);
}
