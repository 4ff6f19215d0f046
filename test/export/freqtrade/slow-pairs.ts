import { US_PER_DAY } from '../../../src/day-files/day.js';
import { MIDNIGHT, type TradeRow } from './exporting.js';

type Columns = Readonly<Record<string, readonly unknown[]>>;

/** The trades of a pair, as export-pairs writes them, from all rows in the order of the files. */
export function slowTrades(rows: readonly TradeRow[]): Columns {
  const sorted = rows.toSorted((a, b) => a.time - b.time);
  const unnamed = new Map<number, number>();
  const nextId = (time: number): string => {
    const count = unnamed.get(time) ?? 0;
    unnamed.set(time, count + 1);
    return `${MIDNIGHT + time}-${count}`;
  };
  return {
    timestamp: sorted.map(({ time }) => Math.floor((MIDNIGHT + time) / 1000)),
    id: sorted.map(({ id, time }) => id || nextId(time)),
    type: sorted.map(() => null),
    side: sorted.map(({ side = 'buy' }) => (side === 'buy' || side === 'sell' ? side : null)),
    price: sorted.map(({ price }) => Number(price)),
    amount: sorted.map(({ amount }) => Number(amount)),
    cost: sorted.map(({ price, amount }) => Number(price) * Number(amount)),
  };
}

/** The candles of a pair. @param minutes length of one. @param days after 2024-03-01 that are complete. */
export function slowCandles(rows: readonly TradeRow[], minutes: number, days: readonly number[]): Columns {
  const length = minutes * 60e6;
  const byStart = new Map<number, TradeRow[]>();
  for (const row of rows.toSorted((a, b) => a.time - b.time)) {
    const start = Math.floor(row.time / length) * length;
    byStart.set(start, [...(byStart.get(start) ?? []), row]);
  }
  const candles = [...byStart].filter(([start]) => days.includes(Math.floor(start / US_PER_DAY)));
  const values = (select: (trades: readonly TradeRow[]) => number) =>
    candles.map(([, trades]) => select(trades));
  const prices = (trades: readonly TradeRow[]) => trades.map(({ price }) => Number(price));
  return {
    date: candles.map(([start]) => (MIDNIGHT + start) * 1000),
    open: values((trades) => Number(trades[0]?.price)),
    high: values((trades) => Math.max(...prices(trades))),
    low: values((trades) => Math.min(...prices(trades))),
    close: values((trades) => Number(trades.at(-1)?.price)),
    volume: values((trades) => trades.reduce((sum, { amount }) => sum + Number(amount), 0)),
  };
}
