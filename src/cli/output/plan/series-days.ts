import type { Day } from '../../../dataset/day.js';
import type { PlannedFile } from '../../../download/download-options.js';
import type { EstimateSize } from '../../../download/estimate/size-estimator.js';
import type { PlanStatus } from '../../../run/run-events.js';

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

type Open<T> = { -readonly [Key in keyof T]: T[Key] };

interface OpenStatus extends Open<Omit<StatusDays, 'spans'>> {
  readonly spans: Open<DaySpan>[];
  newest: Open<DaySpan>;
}

/** Gathers planned files, which come series by series and day by day, in constant memory. */
export function* groupSeriesDays(files: Iterable<PlannedFile>, sizeOf: EstimateSize): Generator<SeriesDays> {
  let series: (PlannedFile['file'] & { readonly statuses: OpenStatus[] }) | undefined;
  let before: PlanStatus | undefined;
  for (const planned of files) {
    const { file, status, action } = planned;
    const { exchange, dataType, symbol, day } = file;
    const isSame = symbol === series?.symbol && dataType === series.dataType && exchange === series.exchange;
    if (!series || !isSame) {
      if (series) yield series;
      series = { exchange, dataType, symbol, day, statuses: [] };
      before = undefined;
    }
    const bytes = action === 'fetch' ? (sizeOf(planned)?.bytes ?? 0) : 0;
    const known = series.statuses.find((each) => each.status === status);
    if (!known) {
      const newest = { first: day, last: day };
      series.statuses.push({ status, days: 1, bytes, spans: [newest], leftOut: 0, newest });
    } else {
      if (before === status) known.newest.last = day;
      else beginSpan(known, day);
      known.days++;
      known.bytes += bytes;
    }
    before = status;
  }
  if (series) yield series;
}

function beginSpan(of: OpenStatus, day: Day): void {
  of.newest = { first: day, last: day };
  if (of.spans.length > KEPT) {
    of.spans.pop();
    of.leftOut++;
  }
  of.spans.push(of.newest);
}
