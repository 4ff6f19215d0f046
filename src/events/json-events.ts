import type { FileError } from '../base/errors.js';
import { formatDay } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import type { DayCondition, GoodDays } from './audited-day.js';
import type {
  DayEvent,
  Estimate,
  FileEvent,
  FileFacts,
  FileStatus,
  FindingEvent,
  FindingKind,
  PlanEvent,
  PlanStatus,
  RowCounts,
  RunScript,
  RunSummary,
} from './run-events.js';

/** Events of `--json` (docs/spec/command-line.md#json-output). Unknown values are absent. */
export type JsonEvent = PlanJson | FileJson | FindingJson | DayJson | SummaryJson;

/** The same fields, each optional. */
type Known<T> = { readonly [Name in keyof T]?: T[Name] | undefined };
type Counts<Name extends string> = Known<Record<Name, number>>;

/** How many files a run processes; for downloads and plans also counts by status and estimates. */
export interface PlanJson extends Counts<PlanStatus>, Known<Estimate> {
  readonly event: 'plan';
  /** Job of the plan, in a dry run of sync. */
  readonly job?: string | undefined;
  readonly files: number;
  /** Free space of the download folder's disk; null if the system does not report it. */
  readonly freeBytes?: number | null | undefined;
}

/** A day file and its result or planned action. */
export interface FileJson extends FileFacts {
  readonly event: 'file';
  /** Job of the file, in a sync. */
  readonly job?: string | undefined;
  readonly status: FileStatus | PlanStatus;
  readonly exchange?: string | undefined;
  readonly dataType?: string | undefined;
  readonly symbol?: string | undefined;
  /** UTC day, `YYYY-MM-DD`. */
  readonly date?: string | undefined;
}

/** A finding of a folder check, in addition to the results of its files. */
export interface FindingJson extends Known<Omit<DayFile, 'day'>> {
  readonly event: 'finding';
  readonly kind: FindingKind;
  readonly path?: string | undefined;
  readonly bytes?: number | undefined;
  /** For a gap: UTC days, `YYYY-MM-DD`. */
  readonly days?: readonly string[] | undefined;
  readonly message: string;
}

/** The verdict of an audit on one day. */
export type DayJson = Omit<DayEvent, 'gaps'>;

/** Result of a run: its exit code, and the number of each status, finding and condition that occurred. */
export interface CountsJson extends Counts<FileStatus | PlanStatus | FindingKind | DayCondition> {
  readonly exitCode: number;
  /** Complete conversions in a different format version than this build writes. */
  readonly outdated?: number | undefined;
  /** Day files without rows that the run downloaded or verified. */
  readonly empty?: number | undefined;
  /** Files that the run planned to fetch but did not finish, because it ended early. */
  readonly unfinished?: number | undefined;
  /** Bytes of the files downloaded or converted by this run. */
  readonly bytes: number;
  /** Of an export: what became of the rows of the day files. */
  readonly dayFileRows?: RowCounts | undefined;
  /** Of an export: what runs on its outputs. */
  readonly scripts?: readonly RunScript[] | undefined;
  readonly seconds: number;
  readonly keyExpired?: boolean | undefined;
  /** Why the run ended early. */
  readonly error?: FileError | undefined;
  /** Why the run failed, as far as neither `error` nor the errors of files say so. */
  readonly reasons?: readonly FileError[] | undefined;
}

export interface SummaryJson extends CountsJson {
  readonly event: 'summary';
  /** Of an audit with `good`: the days that are available for all series. */
  readonly goodDays?: GoodDays | undefined;
  /** Result of each job of a sync. */
  readonly jobs?: readonly JobJson[] | undefined;
}

export interface JobJson extends CountsJson {
  readonly name: string;
  /** Symbols that match the job's selection since its last run, and symbols that ended since then. */
  readonly newSymbols?: readonly string[] | undefined;
  readonly delistedSymbols?: readonly string[] | undefined;
}

export function toPlanJson(plan: PlanEvent, job?: string): PlanJson {
  const { files, download, skip, resume, pending, unavailable, unauthorized } = plan;
  const { estimatedBytes, estimatedRows, estimatedSeconds, estimateBasis, freeBytes } = plan;
  return {
    event: 'plan',
    job,
    files,
    download,
    skip,
    resume,
    pending,
    unavailable,
    unauthorized,
    estimatedBytes,
    estimatedRows,
    estimatedSeconds,
    estimateBasis,
    freeBytes,
  };
}

/** Leaves out what only pages show. */
export function toDayJson({ gaps, ...event }: DayEvent): DayJson {
  return event;
}

/** @param event a file of a run, or of a plan. */
export function toFileJson(
  event: Omit<FileEvent, 'status'> & { readonly status: FileJson['status'] },
): FileJson {
  const { file, path, source, output, outputs, bytes, md5, md5Match, attempts, seconds, rows, error } = event;
  const { sources, sourceRows, dayFileRows, outdated } = event;
  return {
    event: 'file',
    job: event.job,
    status: event.status,
    exchange: file?.exchange,
    dataType: file?.dataType,
    symbol: file?.symbol,
    date: file && formatDay(file.day),
    path,
    source,
    sources,
    output,
    outputs,
    bytes,
    md5,
    md5Match,
    attempts,
    seconds,
    rows,
    sourceRows,
    dayFileRows,
    outdated,
    error: error && toErrorJson(error),
  };
}

export function toFindingJson({ kind, path, bytes, series, days, message }: FindingEvent): FindingJson {
  return { event: 'finding', kind, path, bytes, ...series, days: days?.map(formatDay), message };
}

export function toSummaryJson(summary: RunSummary): SummaryJson {
  const jobs = summary.jobs?.map(({ name, newSymbols, delistedSymbols, ...job }) => ({
    name,
    ...toCountsJson(job),
    ...(newSymbols.length > 0 && { newSymbols }),
    ...(delistedSymbols.length > 0 && { delistedSymbols }),
  }));
  const { goodDays } = summary;
  return { event: 'summary', ...toCountsJson(summary), ...(goodDays && { goodDays }), ...(jobs && { jobs }) };
}

function toCountsJson(summary: RunSummary): CountsJson {
  const { exitCode, counts, findings, days, outdated, empty, unfinished, bytes, dayFileRows } = summary;
  const { scripts, seconds, keyExpired, error, reasons } = summary;
  return {
    exitCode,
    ...counts,
    ...findings,
    ...days,
    ...(outdated !== undefined && { outdated }),
    ...(empty !== undefined && { empty }),
    ...(unfinished > 0 ? { unfinished } : {}),
    bytes,
    dayFileRows,
    scripts,
    seconds,
    keyExpired,
    ...(error === undefined ? {} : { error: toErrorJson(error) }),
    ...(reasons !== undefined && { reasons: reasons.map(toErrorJson) }),
  };
}

function toErrorJson({ code, message, status }: FileError): FileError {
  return { code, message, status };
}

/**
 * Formats a value as one line of JSON. Control characters and invisible ones are escaped for terminals; the value is
 * unchanged.
 */
export function toJsonLine(value: unknown): string {
  return formatJson(value);
}

/** As `toJsonLine`, indented. */
export function toIndentedJson(value: unknown): string {
  return formatJson(value, 2);
}

function formatJson(value: unknown, indent?: number): string {
  return `${JSON.stringify(value, null, indent).replace(/[^\P{C}\n]/gu, escapeCharacter)}\n`;
}

/** Escapes a character as JSON does: each UTF-16 unit by its number. */
function escapeCharacter(character: string): string {
  const units = character.split('');
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
