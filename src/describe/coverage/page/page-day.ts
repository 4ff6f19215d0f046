import { basename } from 'node:path/posix';
import { parseDay, US_PER_DAY } from '../../../day-files/day.js';
import type {
  AuditedDay,
  ContentResult,
  IncidentReport,
  LatencySummary,
} from '../../../events/audited-day.js';

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
