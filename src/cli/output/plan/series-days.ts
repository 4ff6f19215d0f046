import type { Day } from '../../../day-files/day.js';
import type { PlannedFile } from '../../../download/download-options.js';
import type { EstimateSize } from '../../../download/plan/size-estimator.js';
import type { PlanStatus } from '../../../events/run-events.js';

/** Consecutive days of a plan, both included. */
export interface DaySpan {
  readonly first: Day;
  readonly last: Day;
}

/** The days of a series with one status. */
export interface StatusDays {
  readonly status: PlanStatus;
  readonly days: number;
  /** Expected bytes of the days to download; 0 if there are none. */
  readonly bytes: number;
  /** The first spans and the last one, in order. */
  readonly spans: readonly DaySpan[];
  /** Number of spans omitted before the last one. */
  readonly leftOut: number;
}

/** The planned days of one data type and symbol. */
export interface SeriesDays {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** Sorted by their first day. */
  readonly statuses: readonly StatusDays[];
}

/** Spans kept per status: a key may cover only the first day of each month. */
const MAX_SPANS = 4;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

interface MutableStatus extends Mutable<Omit<StatusDays, 'spans'>> {
  readonly spans: Mutable<DaySpan>[];
  newest: Mutable<DaySpan>;
}

/** Groups planned files, sorted by series and day, in constant memory. */
export function* groupSeriesDays(files: Iterable<PlannedFile>, sizeOf: EstimateSize): Generator<SeriesDays> {
  let series: (PlannedFile['file'] & { readonly statuses: MutableStatus[] }) | undefined;
  let previousStatus: PlanStatus | undefined;
  for (const planned of files) {
    const { file, status, action } = planned;
    const { exchange, dataType, symbol, day } = file;
    const isSame = symbol === series?.symbol && dataType === series.dataType && exchange === series.exchange;
    if (!series || !isSame) {
      if (series) yield series;
      series = { exchange, dataType, symbol, day, statuses: [] };
      previousStatus = undefined;
    }
    const bytes = action === 'fetch' ? (sizeOf(planned)?.bytes ?? 0) : 0;
    const sameStatus = series.statuses.find((entry) => entry.status === status);
    if (!sameStatus) {
      const newest = { first: day, last: day };
      series.statuses.push({ status, days: 1, bytes, spans: [newest], leftOut: 0, newest });
    } else {
      if (previousStatus === status) sameStatus.newest.last = day;
      else startSpan(sameStatus, day);
      sameStatus.days++;
      sameStatus.bytes += bytes;
    }
    previousStatus = status;
  }
  if (series) yield series;
}

function startSpan(entry: MutableStatus, day: Day): void {
  entry.newest = { first: day, last: day };
  if (entry.spans.length > MAX_SPANS) {
    entry.spans.pop();
    entry.leftOut++;
  }
  entry.spans.push(entry.newest);
}
