import { toDatasetSymbol } from '../day-files/dataset-symbol.js';
import { type Day, parseTimeToDay, US_PER_DAY } from '../day-files/day.js';
import { toSafeFileName } from '../day-files/day-file.js';
import type { IncidentReport } from '../events/audited-day.js';
import type { DatasetSymbol, ExchangeRecord } from '../service/records/fetch-records.js';
import type { SeriesFacts } from './content-check.js';

/** What an audit needs of an exchange record. */
export interface ExchangeFacts {
  /** Facts of a dataset symbol; those of an unlisted one are unknown. */
  findSeries(symbol: string): SeriesFacts;
  /** Incidents that overlap a day, in the order of the record. */
  findIncidents(day: Day): readonly IncidentReport[];
  /**
   * Condition of a day without a file: `pending` from the end of the export on, else `missing`; undefined if the symbol
   * was not listed on that day.
   */
  judgeAbsentDay(symbol: string, day: Day): 'pending' | 'missing' | undefined;
}

/** Facts of an exchange without a record. */
export const NO_EXCHANGE_FACTS: ExchangeFacts = {
  findSeries: () => ({ isCombo: () => false }),
  findIncidents: () => [],
  judgeAbsentDay: () => undefined,
};

export function createExchangeFacts(record: ExchangeRecord): ExchangeFacts {
  const { datasets } = record;
  const symbols = new Map<string, DatasetSymbol>(
    (datasets?.symbols ?? []).map((symbol) => [toNormalSymbol(symbol.id), symbol]),
  );
  const isCombo = (symbol: string): boolean => symbols.get(toNormalSymbol(symbol))?.type === 'combo';
  const incidents = readIncidents(record['incidentReports']);
  const exportedUntil = parseTimeToDay(datasets?.exportedUntil ?? '');
  const findSeries = (symbol: string): SeriesFacts => {
    const listed = symbols.get(toNormalSymbol(symbol));
    return {
      availableSince: parseMicroseconds(listed?.availableSince),
      availableTo: parseMicroseconds(listed?.availableTo),
      isCombo,
    };
  };
  return {
    findSeries,
    findIncidents: (day) =>
      incidents.filter((incident) => overlaps(incident, day)).map(({ report }) => report),
    judgeAbsentDay(symbol, day) {
      if (exportedUntil === undefined) return undefined;
      const { availableSince = Number.NEGATIVE_INFINITY, availableTo = Number.POSITIVE_INFINITY } =
        findSeries(symbol);
      const start = day * US_PER_DAY;
      const isDelisted = availableTo < exportedUntil * US_PER_DAY && start >= availableTo;
      if (start + US_PER_DAY <= availableSince || isDelisted) return undefined;
      return day >= exportedUntil ? 'pending' : 'missing';
    },
  };
}

/** The symbol as in a file name, also of a row in the exchange's spelling. */
function toNormalSymbol(symbol: string): string {
  return toSafeFileName(toDatasetSymbol(symbol));
}

/** An incident covers `start` up to, but not including, `end`; if both are equal, that moment. */
interface Incident {
  readonly report: IncidentReport;
  /** Microseconds since the epoch. */
  readonly start: number;
  readonly end: number;
}

function readIncidents(reports: unknown): readonly Incident[] {
  if (!Array.isArray(reports)) return [];
  return reports.flatMap((report: unknown) => {
    if (typeof report !== 'object' || report === null) return [];
    const { from, to } = report as IncidentReport;
    const start = parseMicroseconds(from);
    const end = to === undefined || to === null ? Number.POSITIVE_INFINITY : parseMicroseconds(to);
    return start === undefined || end === undefined ? [] : [{ report: report as IncidentReport, start, end }];
  });
}

function overlaps({ start, end }: Incident, day: Day): boolean {
  const dayStart = day * US_PER_DAY;
  const dayEnd = dayStart + US_PER_DAY;
  if (start === end) return start >= dayStart && start < dayEnd;
  return start < dayEnd && end > dayStart && end > start;
}

/** Microseconds since the epoch; undefined if the value is not an ISO 8601 time. */
function parseMicroseconds(time: unknown): number | undefined {
  const ms = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms * 1000;
}
