import type { BookSnapshot } from '../../market/book/book-snapshots.js';
import type { SideLevels } from '../../market/book/top-levels.js';
import type { TradeBar } from '../../market/trade-bars.js';
import type { RowBuilder } from './row-builder.js';

/** Puts a bar as a row, in the order of `computedColumns`. */
export function appendBar(bar: TradeBar, rows: RowBuilder): void {
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
export function appendSnapshot(snapshot: BookSnapshot, rows: RowBuilder): void {
  const { asks, bids, type } = snapshot;
  rows.begin(snapshot.instrument);
  rows.put(snapshot.timestamp);
  rows.put(snapshot.localTimestamp);
  for (let level = 0; level < type.depth; level++) {
    appendLevel(asks, level, rows);
    appendLevel(bids, level, rows);
  }
}

function appendLevel({ prices, amounts, count }: SideLevels, level: number, rows: RowBuilder): void {
  rows.put(level < count ? (prices[level] as number) : Number.NaN);
  rows.put(level < count ? (amounts[level] as number) : Number.NaN);
}
