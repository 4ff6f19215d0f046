// The export defined again, as docs/spec/hftbacktest-format.md#events describes it: an object for each event, and times in BigInt.

import type { SnapshotMode } from '../../../src/export/hftbacktest/day-events.js';

/** Cells of a row. */
export interface TradeRow {
  readonly symbol: string;
  readonly timestamp: number;
  readonly local: number;
  readonly side: string;
  readonly price: string;
  readonly amount: string;
}

export interface BookRow extends TradeRow {
  readonly isSnapshot: boolean;
}

export interface ArrayRow {
  readonly ev: bigint;
  readonly exch: bigint;
  readonly local: bigint;
  readonly px: number;
  readonly qty: number;
}

export interface SlowOptions {
  readonly baseLatencyNs: bigint;
  readonly snapshots: SnapshotMode;
}

const BUY = 1n << 29n;
const SELL = 1n << 28n;
const LOCAL = 1n << 30n;
const EXCH = 1n << 31n;

export function slowRows(
  trades: readonly TradeRow[],
  book: readonly BookRow[],
  { baseLatencyNs, snapshots }: SlowOptions,
): ArrayRow[] {
  const events = [...trades.map(toTrade), ...toBookEvents(book, snapshots)];
  const latencies = events.map(({ exch, local }) => local - exch);
  const least = latencies.reduce((a, b) => (b < a ? b : a), 0n);
  const shift = least < 0n ? baseLatencyNs - least : 0n;
  return orderByBothClocks(events.map((event) => ({ ...event, local: event.local + shift })));
}

function toTrade({ timestamp, local, side, price, amount }: TradeRow): ArrayRow {
  const bit = side === 'buy' ? BUY : side === 'sell' ? SELL : 0n;
  return { ev: 2n | bit, ...times(timestamp, local), px: Number(price), qty: Number(amount) };
}

function times(timestamp: number, local: number): { exch: bigint; local: bigint } {
  return { exch: BigInt(timestamp) * 1000n, local: BigInt(local) * 1000n };
}

function toBookEvents(rows: readonly BookRow[], mode: SnapshotMode): ArrayRow[] {
  const firstUpdate = rows.findIndex((row) => !row.isSnapshot);
  return rows.flatMap((row, at) => {
    if (!row.isSnapshot) return [toLevel(row, 1n)];
    const previous = rows[at - 1];
    const continues = previous?.isSnapshot === true && previous.local === row.local;
    const isAtStart = firstUpdate < 0 || at < firstUpdate;
    if (continues || mode === 'ignore' || (mode === 'ignore-sod' && isAtStart)) return [];
    const isOther = (later: BookRow): boolean => !later.isSnapshot || later.local !== row.local;
    const length = rows.slice(at).findIndex(isOther);
    const snapshot = rows.slice(at, length < 0 ? undefined : at + length);
    return ['bid', 'ask'].flatMap((side) => {
      const levels = snapshot.filter((level) => level.side === side).map((level) => toLevel(level, 4n));
      const first = levels[0];
      const last = levels.at(-1);
      return first && last ? [{ ...first, ev: first.ev - 1n, px: last.px, qty: 0 }, ...levels] : [];
    });
  });
}

function toLevel({ timestamp, local, side, price, amount }: BookRow, kind: bigint): ArrayRow {
  const ev = kind | (side === 'bid' ? BUY : SELL);
  return { ev, ...times(timestamp, local), px: Number(price), qty: Number(amount) };
}

function orderByBothClocks(events: readonly ArrayRow[]): ArrayRow[] {
  const byExch = events.toSorted((a, b) => Number(a.exch - b.exch));
  const byLocal = events.toSorted((a, b) => Number(a.local - b.local));
  const rows: ArrayRow[] = [];
  for (let atExch = 0, atLocal = 0; ; ) {
    const exch = byExch[atExch];
    const local = byLocal[atLocal];
    if (!exch && !local) return rows;
    const order = !exch ? 1n : !local ? -1n : exch.exch - local.exch || exch.local - local.local;
    if (order <= 0n) atExch++;
    if (order >= 0n) atLocal++;
    const bits = (order <= 0n ? EXCH : 0n) | (order >= 0n ? LOCAL : 0n);
    const event = (order <= 0n ? exch : local) as ArrayRow;
    rows.push({ ...event, ev: event.ev | bits });
  }
}
