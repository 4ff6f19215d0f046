import type { BookSnapshot, SideLevels } from '../../market/book/book-snapshots.js';
import type { TradeBar } from '../../market/trade-bars.js';
import type { RowBuilder } from './row-builder.js';

/** Appends a bar as a row, in the order of `computedColumns`. */
export function appendBar(bar: TradeBar, rows: RowBuilder): void {
  rows.beginRow(bar.instrument);
  rows.append(bar.timestamp);
  rows.append(bar.localTimestamp);
  rows.append(bar.open);
  rows.append(bar.high);
  rows.append(bar.low);
  rows.append(bar.close);
  rows.append(bar.volume);
  rows.append(bar.buyVolume);
  rows.append(bar.sellVolume);
  rows.append(bar.trades);
  rows.append(bar.vwap);
  rows.append(bar.openTimestamp);
  rows.append(bar.closeTimestamp);
}

/** Appends a snapshot as a row, in the order of `computedColumns`; missing levels are empty. */
export function appendSnapshot(snapshot: BookSnapshot, rows: RowBuilder): void {
  const { asks, bids, type } = snapshot;
  rows.beginRow(snapshot.instrument);
  rows.append(snapshot.timestamp);
  rows.append(snapshot.localTimestamp);
  for (let level = 0; level < type.depth; level++) {
    appendLevel(asks, level, rows);
    appendLevel(bids, level, rows);
  }
}

function appendLevel({ prices, amounts, count }: SideLevels, level: number, rows: RowBuilder): void {
  rows.append(level < count ? (prices[level] as number) : Number.NaN);
  rows.append(level < count ? (amounts[level] as number) : Number.NaN);
}
