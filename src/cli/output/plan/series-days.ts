import type { Day } from '../../../dataset/day.js';
import type { SizeOf } from '../../../download/estimate/sizes.js';
import type { PlannedFile } from '../../../download/types.js';
import type { PlanStatus } from '../../../run/events.js';

/** Days that a plan has in a row, both included. */
export interface DaySpan {
  readonly first: Day;
  readonly last: Day;
}

/** The days of a series that have one status. */
export interface StatusDays {
  readonly status: PlanStatus;
  readonly days: number;
  /** Expected bytes of what is to be fetched; 0 where nothing is. */
  readonly bytes: number;
  /** In order: the first ones, and the last. */
  readonly spans: readonly DaySpan[];
  /** Spans between the first ones and the last that are not kept. */
  readonly leftOut: number;
}

/** What is planned for the days of one data type and symbol. */
export interface SeriesDays {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** By their first day. */
  readonly statuses: readonly StatusDays[];
}

/** Spans of a status that are kept: a key may cover the first day of each month alone. */
const KEPT = 4;

interface Collected {
  readonly status: PlanStatus;
  days: number;
  bytes: number;
  readonly spans: { readonly first: Day; last: Day }[];
  leftOut: number;
  newest: { readonly first: Day; last: Day };
}

/** Gathers planned files, which come series by series and day by day, in constant memory. */
export function* seriesDays(files: Iterable<PlannedFile>, sizeOf: SizeOf): Generator<SeriesDays> {
  let series: PlannedFile['file'] | undefined;
  let statuses = new Map<PlanStatus, Collected>();
  let before: PlanStatus | undefined;
  for (const planned of files) {
    const { file, status } = planned;
    const isSame =
      file.symbol === series?.symbol &&
      file.dataType === series.dataType &&
      file.exchange === series.exchange;
    if (!isSame) {
      if (series) yield gathered(series, statuses);
      series = file;
      statuses = new Map();
      before = undefined;
    }
    const of = collectedOf(statuses, status, file.day);
    if (before === status) of.newest.last = file.day;
    else if (of.days > 0) beginSpan(of, file.day);
    of.days++;
    if (planned.action === 'fetch') of.bytes += sizeOf(planned)?.bytes ?? 0;
    before = status;
  }
  if (series) yield gathered(series, statuses);
}

function collectedOf(statuses: Map<PlanStatus, Collected>, status: PlanStatus, day: Day): Collected {
  const known = statuses.get(status);
  if (known) return known;
  const newest = { first: day, last: day };
  const made = { status, days: 0, bytes: 0, spans: [newest], leftOut: 0, newest };
  statuses.set(status, made);
  return made;
}

function beginSpan(of: Collected, day: Day): void {
  of.newest = { first: day, last: day };
  if (of.spans.length > KEPT) {
    of.spans.pop();
    of.leftOut++;
  }
  of.spans.push(of.newest);
}

function gathered(
  { exchange, dataType, symbol }: PlannedFile['file'],
  statuses: Map<PlanStatus, Collected>,
): SeriesDays {
  const all = [...statuses.values()].map(({ newest: _, ...kept }) => kept);
  return { exchange, dataType, symbol, statuses: all };
}
