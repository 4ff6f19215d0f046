import { toDatasetSymbol } from '../day-files/dataset-symbol.js';
import { type Day, formatDay, parseDay, parseTimeToDay, US_PER_DAY } from '../day-files/day.js';
import { type DayFile, toSafeFileName } from '../day-files/day-file.js';
import type { AuditedDay, ContentResult, IncidentReport } from '../events/audited-day.js';
import type { DatasetSymbol, ExchangeRecord } from '../service/records/fetch-records.js';
import type { AuditRecord } from './audit-log.js';
import { INCIDENT } from './check-descriptions.js';
import { gap, limitGaps } from './checks/stretches.js';
import type {
  AuditedFile,
  CheckThresholds,
  ContentCheck,
  RecordedGap,
  SeriesFacts,
} from './content-check.js';
import { CONTENT_CHECKS, noRows } from './content-checks.js';

/** The reasons that degrade a day unless `--degrade` names others. */
export const DEFAULT_DEGRADING: ReadonlySet<string> = new Set([
  ...CONTENT_CHECKS.filter(({ degrades }) => degrades).map(({ name }) => name),
  INCIDENT,
]);

/** Adds the result of `no_rows` to the verdict on a file that was read to its end. */
export function addNoRows(day: AuditedDay, count: 0 | 1, degrading: ReadonlySet<string>): AuditedDay {
  const checks = { ...day.checks, [noRows.name]: { count } };
  const added = { ...day, checks };
  return count === 0 ? added : { ...added, ...judgeChecks(checks, day.incidents, degrading) };
}

function judgeChecks(
  checks: NonNullable<AuditedDay['checks']>,
  incidents: AuditedDay['incidents'],
  degrading: ReadonlySet<string>,
): Pick<AuditedDay, 'condition' | 'reasons'> {
  const causes = [...findFailedChecks(checks), ...(incidents.length > 0 ? [INCIDENT] : [])];
  const reasons = causes.filter((name) => degrading.has(name));
  return { condition: reasons.length > 0 ? 'degraded' : 'available', reasons };
}

/** Judges a day whose file was read to its end. @param degrading names of checks, and `incident`. */
export function judgeDay(
  record: Omit<AuditRecord, 'path' | 'reasons'>,
  path: string,
  exchange: ExchangeFacts,
  degrading: ReadonlySet<string>,
): AuditedDay {
  const { dataType, symbol, date, rows, symbols, firstLocalTimestamp, lastLocalTimestamp } = record;
  const series = exchange.findSeries(symbol);
  const checks = resolveChecks(record, series);
  const incidents = date === '' ? [] : exchange.findIncidents(parseDay(date));
  return {
    exchange: record.exchange,
    dataType,
    symbol,
    date,
    path,
    ...judgeChecks(checks, incidents, degrading),
    incidents,
    rows,
    symbols,
    firstLocalTimestamp,
    lastLocalTimestamp,
    latencyMicroseconds: record.latencyMicroseconds,
    checks,
    gaps: listGaps(record, series),
  };
}

const CHECKS_BY_NAME = new Map<string, ContentCheck>(CONTENT_CHECKS.map((check) => [check.name, check]));

type RecordedChecks = Pick<AuditRecord, 'dataType' | 'date' | 'rows' | 'checks' | keyof CheckThresholds>;

/** Applies the exchange record to the recorded results of a file. */
export function resolveChecks(
  record: RecordedChecks,
  facts: SeriesFacts,
): Readonly<Record<string, ContentResult>> {
  const file = toAuditedFile(record);
  return Object.fromEntries(
    Object.entries(record.checks).map(([name, recorded]) => {
      const resolve = CHECKS_BY_NAME.get(name)?.resolve;
      return [name, resolve ? resolve(recorded, file, record.rows, facts) : recorded];
    }),
  );
}

/** All gaps that `gap` counts, by start. */
function listGaps(record: RecordedChecks, facts: SeriesFacts): readonly RecordedGap[] {
  const recorded = record.checks[gap.name];
  return recorded ? limitGaps(recorded, toAuditedFile(record), record.rows, facts) : [];
}

function toAuditedFile(record: RecordedChecks): AuditedFile {
  const { dataType, date } = record;
  return { thresholds: record, dataType, dayStart: date === '' ? 0 : parseDay(date) * US_PER_DAY };
}

/** The names of the checks that failed, in the order of `CONTENT_CHECKS`. */
export function findFailedChecks(checks: Readonly<Record<string, ContentResult>>): readonly string[] {
  return CONTENT_CHECKS.flatMap(({ name, hasFailed = countsAny }) => {
    const result = checks[name];
    return result && hasFailed(result) ? [name] : [];
  });
}

function countsAny({ count }: ContentResult): boolean {
  return count !== null && count > 0;
}

/**
 * The verdict on a day without a file; undefined if the day is left out: the symbol was not listed, the day exists as a
 * conversion, or there is no exchange record.
 */
export function judgeAbsentDay(
  file: DayFile,
  exchange: ExchangeFacts,
  hasConversion: (file: DayFile) => boolean,
): AuditedDay | undefined {
  const condition = exchange.judgeAbsentDay(file.symbol, file.day);
  if (condition === undefined || hasConversion(file)) return undefined;
  return { ...describeDay(file, exchange), path: null, condition, reasons: [] };
}

/** Names and incidents of a day. @param file undefined if the file is not identified. */
export function describeDay(
  file: DayFile | undefined,
  exchange: ExchangeFacts,
): Pick<AuditedDay, 'exchange' | 'dataType' | 'symbol' | 'date' | 'incidents'> {
  if (!file) return { exchange: '', dataType: '', symbol: '', date: '', incidents: [] };
  const { dataType, symbol, day } = file;
  const date = formatDay(day);
  return { exchange: file.exchange, dataType, symbol, date, incidents: exchange.findIncidents(day) };
}

/** A day of a series. */
interface SeriesDay {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

/** The series that have days with rows. */
export class SeriesWithRows {
  /** For each series its only such day, or `several`. */
  readonly #dates = new Map<string, string>();

  add(day: SeriesDay): void {
    const key = toSeriesKey(day);
    const known = this.#dates.get(key);
    this.#dates.set(key, known === undefined || known === day.date ? day.date : 'several');
  }

  /** Whether another day of the same series has rows. */
  hasOther(day: SeriesDay): boolean {
    const date = this.#dates.get(toSeriesKey(day));
    return date !== undefined && date !== day.date;
  }
}

export function toSeriesKey({ exchange, dataType, symbol }: Omit<SeriesDay, 'date'>): string {
  return JSON.stringify([exchange, dataType, symbol]);
}

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
