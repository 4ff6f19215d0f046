import type { FileError } from '../base/file-error.js';
import { formatDay } from '../dataset/day.js';
import type { DayFile } from '../dataset/day-file.js';
import type {
  Estimate,
  FileEvent,
  FileFacts,
  FileStatus,
  FindingEvent,
  FindingKind,
  PlanEvent,
  PlanStatus,
  RunSummary,
} from './events.js';

/** Events as `--json` has them (contract, Output): flat and plain. What isn't known is absent. */
export type JsonEvent = PlanJson | FileJson | FindingJson | SummaryJson;

/** What may be absent, of a known set of names. */
type Known<T> = { readonly [Name in keyof T]?: T[Name] | undefined };
type Counts<Name extends string> = Known<Record<Name, number>>;

/** How many files a run sets out to work on; of a download and a plan, with counts and what they are expected to come to. */
export interface PlanJson extends Counts<PlanStatus>, Known<Estimate> {
  readonly event: 'plan';
  /** Of a sync that only plans, the job that the plan is of. */
  readonly job?: string | undefined;
  readonly files: number;
  /** Bytes that the disk of the download folder has left; null where the system doesn't tell. */
  readonly freeBytes?: number | null | undefined;
}

/** A day file with what became of it, or with what is planned for it. */
export interface FileJson extends FileFacts {
  readonly event: 'file';
  /** Of a sync, the job that the file belongs to. */
  readonly job?: string | undefined;
  readonly status: FileStatus | PlanStatus;
  readonly exchange?: string | undefined;
  readonly dataType?: string | undefined;
  readonly symbol?: string | undefined;
  /** UTC day, `YYYY-MM-DD`. */
  readonly date?: string | undefined;
}

/** What a check of a folder finds beside the files that it checks. */
export interface FindingJson extends Known<Omit<DayFile, 'day'>> {
  readonly event: 'finding';
  readonly kind: FindingKind;
  readonly path?: string | undefined;
  readonly bytes?: number | undefined;
  /** Of a gap: UTC days, `YYYY-MM-DD`. */
  readonly days?: readonly string[] | undefined;
  readonly message: string;
}

/** What a run came to: its exit code, and a count of each status and finding that occurred. */
export interface CountsJson extends Counts<FileStatus | PlanStatus | FindingKind> {
  readonly exitCode: number;
  /** Whole conversions of another version than this build makes. */
  readonly outdated?: number | undefined;
  /** Files that the run set out to fetch and did not finish, since it ended early. */
  readonly unfinished?: number | undefined;
  /** Of the files downloaded or made by this run. */
  readonly bytes: number;
  readonly seconds: number;
  readonly keyExpired?: boolean | undefined;
  /** Why the run ended early, where it did. */
  readonly error?: FileError | undefined;
}

export interface SummaryJson extends CountsJson {
  readonly event: 'summary';
  /** Of a sync, what each job came to. */
  readonly jobs?: readonly JobJson[] | undefined;
}

export interface JobJson extends CountsJson {
  readonly name: string;
  /** Symbols that the job's selection matches since its last run, and those that ended since. */
  readonly newSymbols?: readonly string[] | undefined;
  readonly delistedSymbols?: readonly string[] | undefined;
}

export function planObject(plan: PlanEvent, job?: string): PlanJson {
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

/** @param event of a run, or of a plan. */
export function fileObject(
  event: Omit<FileEvent, 'status'> & { readonly status: FileJson['status'] },
): FileJson {
  const { file, path, source, output, outputs, bytes, md5, md5Match, attempts, seconds, rows, error } = event;
  const { outdated } = event;
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
    output,
    outputs,
    bytes,
    md5,
    md5Match,
    attempts,
    seconds,
    rows,
    outdated,
    error: error && errorObject(error),
  };
}

export function findingObject({ kind, path, bytes, series, days, message }: FindingEvent): FindingJson {
  return { event: 'finding', kind, path, bytes, ...series, days: days?.map(formatDay), message };
}

export function summaryObject(summary: RunSummary): SummaryJson {
  const jobs = summary.jobs?.map(({ name, newSymbols, delistedSymbols, ...job }) => ({
    name,
    ...countsObject(job),
    ...(newSymbols.length > 0 && { newSymbols }),
    ...(delistedSymbols.length > 0 && { delistedSymbols }),
  }));
  return { event: 'summary', ...countsObject(summary), ...(jobs && { jobs }) };
}

function countsObject(summary: RunSummary): CountsJson {
  const { exitCode, counts, findings, outdated, unfinished, bytes, seconds, keyExpired, error } = summary;
  return {
    exitCode,
    ...counts,
    ...findings,
    ...(outdated !== undefined && { outdated }),
    ...(unfinished > 0 ? { unfinished } : {}),
    bytes,
    seconds,
    keyExpired,
    ...(error === undefined ? {} : { error: errorObject(error) }),
  };
}

function errorObject({ code, message, status }: FileError): FileError {
  return { code, message, status };
}

/** A value as one line of JSON. */
export function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
