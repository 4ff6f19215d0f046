import { parseDay } from '../../../src/day-files/day.js';
import { createBarStream, createSnapshotStream } from '../../../src/market/day-file/computed-stream.js';
import { type ComputedType, parseComputedTypeName } from '../../../src/market/message-type-name.js';
import { HEADER } from '../../format/trades.js';
import { batchesOf } from '../../market/batches.js';

export type Row = Readonly<Record<string, string | number | null>>;

const START = parseDay('2024-03-01') * 86_400_000_000;

/** The rows expected in a computed type's file, computed from the CSV with src/market. */
export function expectedRows(name: string, csv: string): Row[] {
  const type = parseComputedTypeName(name);
  const rows: Row[] = [];
  const { batches } = batchesOf(type.dayFileType, csv, 100);
  const computed = createTypes(type, rows);
  for (const batch of batches) computed.push(batch);
  computed.end();
  return rows;
}

function createTypes(type: ComputedType, rows: Row[]) {
  if (type.kind === 'trade_bar') {
    const day = { start: START, end: START + 86_400_000_000 };
    return createBarStream([type], day, (bar) => {
      rows.push({
        ...bar.instrument,
        timestamp: bar.timestamp,
        local_timestamp: bar.localTimestamp,
        open: bar.open,
        high: bar.high,
        low: bar.low,
        close: bar.close,
        volume: bar.volume,
        buy_volume: bar.buyVolume,
        sell_volume: bar.sellVolume,
        trades: bar.trades,
        vwap: Number.isNaN(bar.vwap) ? null : bar.vwap,
        open_timestamp: bar.openTimestamp,
        close_timestamp: bar.closeTimestamp,
      });
    });
  }
  return createSnapshotStream([type], ({ instrument, timestamp, localTimestamp, asks, bids }) => {
    const levels: Record<string, number | null> = {};
    for (let i = 0; i < type.depth; i++) {
      for (const [side, { prices, amounts, count }] of [
        ['asks', asks],
        ['bids', bids],
      ] as const) {
        levels[`${side}[${i}].price`] = i < count ? (prices[i] ?? null) : null;
        levels[`${side}[${i}].amount`] = i < count ? (amounts[i] ?? null) : null;
      }
    }
    rows.push({ ...instrument, timestamp, local_timestamp: localTimestamp, ...levels });
  });
}

/** A CSV of trades: exchange and local time in microseconds of the day, symbol, side, price, amount. */
export function tradesOf(
  rows: readonly (readonly [number, number, string, string, string, string])[],
): string {
  const start = Date.UTC(2024, 2, 1) * 1000;
  const lines = rows.map(
    ([time, local, symbol, side, price, amount]) =>
      `deribit,${symbol},${start + time},${start + local},,${side},${price},${amount}\n`,
  );
  return `${HEADER}\n${lines.join('')}`;
}

/** Converts bigints, which hyparquet returns for counts and times, to numbers. */
export function plain(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
    ),
  );
}
