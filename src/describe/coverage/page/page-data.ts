import { basename } from 'node:path/posix';
import { describeReasons, type ReasonDescriptions } from '../../../audit/check-descriptions.js';
import { type Day, parseDay, US_PER_DAY } from '../../../day-files/day.js';
import type {
  AuditedDay,
  ContentResult,
  IncidentReport,
  LatencySummary,
} from '../../../events/audited-day.js';
import { type DayBytes, type DayState, packStates } from '../coverage-facts.js';

/**
 * State of a day on the page: of coverage, or `d` for degraded, `c` for corrupt, `n` for pending (not yet exported), `o`
 * for a day that the report does not cover.
 */
export type PageState = DayState | 'd' | 'c' | 'n';

/** How the page names the days of a state. */
export interface StateWords {
  readonly state: PageState;
  readonly word: string;
  /** What it means, if the word does not say it. */
  readonly note?: string;
  /** Whether these days are in the list of each series, and what Page Down looks for. */
  readonly isListed: boolean;
  /** States that the word counts, if not its own only. */
  readonly counted?: string;
}

/** A series to show. */
export interface PageSeries {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** Day of the first state. */
  readonly first: Day;
  /** One `PageState` per day, without gaps. */
  readonly states: string;
  readonly rows: number;
  /** Bytes on disk; undefined if not known. */
  readonly bytes?: number | undefined;
  /** Missing days that the manifest records. */
  readonly gone: number;
  /** Details of days by their index in `states`. */
  readonly days?: ReadonlyMap<number, PageDay> | undefined;
}

/** A series in the page's data; exchange and data type are indexes of lists. */
export type PackedSeries = readonly [
  exchange: number,
  dataType: number,
  symbol: string,
  first: number,
  /** Packed by `packStates`. */
  states: string,
  rows: number,
  bytes: number | null,
  gone: number,
  /** Details of days, with the index in the states. */
  days: readonly (readonly [index: number, day: PageDay])[],
];

/** Data that the page's script draws. */
export interface PageData {
  readonly words: readonly StateWords[];
  /** Title of the list of days in each series. */
  readonly listTitle: string;
  /** What the names of checks mean that occur on the page; undefined if none does. */
  readonly reasons?: ReasonDescriptions | undefined;
  readonly exchanges: readonly string[];
  readonly dataTypes: readonly string[];
  readonly series: readonly PackedSeries[];
  /** Charts by the id of their element. */
  readonly charts: Readonly<Partial<Record<ByteChart, ChartData>>>;
}

/** Size of each day's data, and of the folder by day of recording. */
export type ByteChart = 'by-day' | 'by-recording';

/** Days and the bytes of each day. */
export type ChartData = readonly [days: readonly number[], bytes: readonly number[]];

/** Packs series and charts for the page. */
export function toPageData(
  series: readonly PageSeries[],
  charts: Readonly<Partial<Record<ByteChart, readonly DayBytes[]>>>,
  { words, listTitle }: Pick<PageData, 'words' | 'listTitle'>,
): PageData {
  const exchanges = distinct(series.map(({ exchange }) => exchange));
  const dataTypes = distinct(series.map(({ dataType }) => dataType));
  const packSeries = (item: PageSeries): PackedSeries => [
    exchanges.indexOf(item.exchange),
    dataTypes.indexOf(item.dataType),
    item.symbol,
    item.first,
    packStates(item.states),
    item.rows,
    item.bytes ?? null,
    item.gone,
    [...(item.days ?? [])],
  ];
  const toChartData = (sums: readonly DayBytes[]): ChartData => [
    sums.map(({ day }) => day),
    sums.map(({ bytes }) => bytes),
  ];
  const reasons = describeReasons(listReasons(series));
  return {
    words,
    listTitle,
    reasons: reasons.length === 0 ? undefined : reasons,
    exchanges,
    dataTypes,
    series: series.map(packSeries),
    charts: Object.fromEntries(Object.entries(charts).map(([id, sums]) => [id, toChartData(sums)])),
  };
}

/** Names of reasons and checks that the page shows. */
function* listReasons(series: readonly PageSeries[]): Generator<string> {
  for (const { days } of series) {
    for (const { reasons, content } of days?.values() ?? []) {
      yield* reasons;
      for (const { check } of content?.findings ?? []) yield check;
    }
  }
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

/** In microseconds since the start of the day. */
export interface DayPeriod {
  readonly start: number;
  readonly end: number;
}

/** A check that counted something. Times are microseconds since the start of the day. */
export interface PageFinding {
  readonly check: string;
  readonly count: number;
  readonly seconds?: number | undefined;
  readonly longest?: DayPeriod | undefined;
  readonly maxMicroseconds?: number | undefined;
  /** The first counted row. */
  readonly row?: number | undefined;
  readonly time?: number | undefined;
  readonly symbol?: string | undefined;
}

/** What a file holds. Times are microseconds since the start of the day. */
export interface PageDayContent {
  readonly rows: number;
  readonly symbols: number;
  /** Period of the rows and their latency; undefined without rows. */
  readonly period?: DayPeriod | undefined;
  readonly latency?: LatencySummary | undefined;
  readonly findings: readonly PageFinding[];
  readonly gaps: readonly DayPeriod[];
}

/** Details of a day in the page's data. */
export interface PageDay {
  readonly reasons: readonly string[];
  /** One text for each incident. */
  readonly incidents: readonly string[];
  readonly error?: string | undefined;
  /** Undefined if nothing is known of it. */
  readonly content?: PageDayContent | undefined;
}

/** Selects what the page shows of a day. */
export function toPageDay(day: AuditedDay): PageDay {
  const { reasons, incidents, checks } = day;
  return {
    reasons,
    incidents: incidents.map(describeIncident),
    error: describeCorruption(day),
    content: checks && toContent(day, checks),
  };
}

/** Why a file is corrupt. The page can be published, so the text has only the file's name. */
export function describeCorruption({ error, path }: AuditedDay): string | undefined {
  return path === null ? error?.message : error?.message.replaceAll(path, basename(path));
}

function toContent(day: AuditedDay, checks: NonNullable<AuditedDay['checks']>): PageDayContent {
  const { rows = 0, symbols = 0, firstLocalTimestamp, lastLocalTimestamp, latencyMicroseconds } = day;
  const dayStart = parseDay(day.date) * US_PER_DAY;
  const toPeriod = (start: number, end: number): DayPeriod => ({
    start: start - dayStart,
    end: end - dayStart,
  });
  const toFinding = ([check, result]: readonly [string, ContentResult]): readonly PageFinding[] => {
    const { count, seconds, longest, maxMicroseconds, first } = result;
    if (!count) return [];
    return [
      {
        check,
        count,
        seconds,
        longest: longest ? toPeriod(longest.start, longest.start + 1e6 * longest.seconds) : undefined,
        maxMicroseconds,
        row: first?.row,
        time: first?.localTimestamp == null ? undefined : first.localTimestamp - dayStart,
        symbol: first?.symbol ?? undefined,
      },
    ];
  };
  return {
    rows,
    symbols,
    period:
      firstLocalTimestamp == null || lastLocalTimestamp == null
        ? undefined
        : toPeriod(firstLocalTimestamp, lastLocalTimestamp),
    latency: latencyMicroseconds ?? undefined,
    findings: Object.entries(checks).flatMap(toFinding),
    gaps: day.gaps?.map(({ start, end }) => toPeriod(start, end)) ?? [],
  };
}

function describeIncident({ from, to, status, details }: IncidentReport): string {
  const period = typeof to === 'string' ? `${from} to ${to}` : `since ${from}`;
  return [period, details, status].filter((text) => typeof text === 'string' && text !== '').join(': ');
}
