import { type Day, formatDay } from '../dataset/day.js';
import type { PlannedFile } from '../download/types.js';

/** What a worker takes at once: the days of one series within a UTC calendar month, or within a part of one. */
export interface Slice {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** UTC days, `YYYY-MM-DD`; `to` is not included. */
  readonly from: string;
  readonly to: string;
}

export interface SlicesInput {
  /** Series by series and day by day. */
  readonly files: Iterable<PlannedFile>;
  /** The selection's; slices end where it ends. */
  readonly range: { readonly from: Day; readonly to: Day };
  /** Days of a slice, counted from the first of each month; undefined for whole months. */
  readonly sliceDays: number | undefined;
}

/** The slices of a plan in which there is work, in the plan's order. */
export function* slicesOf({ files, range, sliceDays }: SlicesInput): Generator<Slice> {
  let key = '';
  for (const { file, action } of files) {
    if (action === 'nothing') continue;
    const { exchange, dataType, symbol, day } = file;
    const { from, to } = windowOf(day, sliceDays);
    const next = `${exchange} ${dataType} ${symbol} ${from}`;
    if (next === key) continue;
    key = next;
    yield {
      exchange,
      dataType,
      symbol,
      from: formatDay(Math.max(from, range.from) as Day),
      to: formatDay(Math.min(to, range.to) as Day),
    };
  }
}

/** The month, or the part of it, that a day lies in; `to` is not included. */
export function windowOf(day: Day, sliceDays: number | undefined): { readonly from: Day; readonly to: Day } {
  const date = new Date(day * MS_A_DAY);
  const first = dayOf(date.getUTCFullYear(), date.getUTCMonth());
  const next = dayOf(date.getUTCFullYear(), date.getUTCMonth() + 1);
  if (sliceDays === undefined) return { from: first, to: next };
  const from = (day - ((day - first) % sliceDays)) as Day;
  return { from, to: Math.min(from + sliceDays, next) as Day };
}

const MS_A_DAY = 86_400_000;

function dayOf(year: number, month: number): Day {
  return (Date.UTC(year, month, 1) / MS_A_DAY) as Day;
}
