import { type Day, firstDayOfMonth, formatDay } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import type { PlannedFile } from '../download/download-options.js';

/** The unit of work: the days of one series within a UTC calendar month, or within a part of it. */
export interface Slice {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** UTC days, `YYYY-MM-DD`; `to` is not included. */
  readonly from: string;
  readonly to: string;
}

/** A slice as one line of text; fields of a damaged slice are empty. */
export function formatSlice({ exchange, dataType, symbol, from, to }: Slice): string {
  const series = [exchange, dataType, symbol].filter((name) => name !== '').join(' ') || 'unreadable slice';
  return from === '' || to === '' ? series : `${series} ${from} to ${to}`;
}

/** A slice with work, and the number of its files that the API key does not cover. */
export interface PendingSlice {
  readonly slice: Slice;
  readonly unauthorized: number;
}

interface OpenSlice extends PendingSlice {
  /** Days of the slice; `until` is not included. */
  readonly first: Day;
  readonly until: Day;
  unauthorized: number;
  hasWork: boolean;
}

/** Splits a plan into slices. Its files must be ordered by series and day. */
export class Slicer {
  readonly #range: { readonly from: number; readonly to: number };
  readonly #sliceDays: number | undefined;
  #open: OpenSlice | undefined;

  /**
   * @param range requested days, which limit the slices. Its end is infinite if none was set, so that a slice stays
   * the same when more days are exported.
   * @param sliceDays days of a slice, counted from the first of each month; undefined for whole months.
   */
  constructor(range: { readonly from: number; readonly to: number }, sliceDays: number | undefined) {
    this.#range = range;
    this.#sliceDays = sliceDays;
  }

  /** @returns the previous slice if this file starts another. */
  add({ file, action, status }: PlannedFile): PendingSlice | undefined {
    const previous = this.#open;
    if (previous && isInSlice(previous, file)) {
      countFile(previous, action, status);
      return undefined;
    }
    const { exchange, dataType, symbol, day } = file;
    const window = sliceWindow(day, this.#sliceDays);
    const first = Math.max(window.from, this.#range.from) as Day;
    const until = Math.min(window.to, this.#range.to) as Day;
    const slice: Slice = { exchange, dataType, symbol, from: formatDay(first), to: formatDay(until) };
    this.#open = { slice, first, until, unauthorized: 0, hasWork: false };
    countFile(this.#open, action, status);
    return previous?.hasWork ? previous : undefined;
  }

  /** The last slice, after all files were added. */
  end(): PendingSlice | undefined {
    return this.#open?.hasWork ? this.#open : undefined;
  }
}

function isInSlice(
  { slice, first, until }: OpenSlice,
  { exchange, dataType, symbol, day }: DayFile,
): boolean {
  return (
    day >= first &&
    day < until &&
    symbol === slice.symbol &&
    dataType === slice.dataType &&
    exchange === slice.exchange
  );
}

function countFile(open: OpenSlice, action: PlannedFile['action'], status: PlannedFile['status']): void {
  if (status === 'unauthorized') open.unauthorized++;
  open.hasWork ||= action !== 'nothing';
}

/** The month that contains a day, or the part of it; `to` is not included. */
export function sliceWindow(
  day: Day,
  sliceDays: number | undefined,
): { readonly from: Day; readonly to: Day } {
  const [year = 0, month = 1] = formatDay(day).split('-').map(Number);
  const first = firstDayOfMonth(year, month - 1);
  const next = firstDayOfMonth(year, month);
  if (sliceDays === undefined) return { from: first, to: next };
  const from = (day - ((day - first) % sliceDays)) as Day;
  return { from, to: Math.min(from + sliceDays, next) as Day };
}
