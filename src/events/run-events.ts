import type { FileError } from '../base/errors.js';
import type { Day } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import type { AuditedDay, DayCondition, GoodDays } from './audited-day.js';

/** Planned action for a day file, before anything is requested. */
export type PlanStatus = 'download' | 'skip' | 'resume' | 'pending' | 'unavailable' | 'unauthorized';

/** Result of a day file. The last three are never requested. */
export type FileStatus =
  | 'downloaded'
  | 'skipped'
  | 'converted'
  | 'verified'
  | 'repaired'
  | 'forgotten'
  | 'corrupt'
  | 'missing'
  | 'failed'
  | 'pending'
  | 'unavailable'
  | 'unauthorized';

/** Number of day files in total and by status. */
export type PlanCounts = Readonly<Record<PlanStatus | 'files', number>>;

/**
 * Source of an estimate: earlier days of the series, the exchange's totals, or typical values of a data type.
 */
export type EstimateBasis = 'manifest' | 'record' | 'typical';

/** The least and the most bytes. */
export type SizeRange = readonly [least: number, most: number];

/** Expected size of all files to fetch; null if there is no basis for an estimate. */
export interface Estimate {
  /** Compressed size. */
  readonly estimatedBytes: number | null;
  readonly estimatedRows: number | null;
  readonly estimatedSeconds: number | null;
  /** The least reliable basis of a substantial part of the bytes. */
  readonly estimateBasis: EstimateBasis | null;
}

/**
 * Events of a run. `plan` occurs once, before any `file`; `start`, `progress`, `retry`, `pause`, `warning`
 * and `file` follow as they happen. The command line formats them as bars, lines or JSON; library users
 * receive them unchanged.
 */
export type RunEvent =
  | PlanEvent
  /** A transfer or a conversion has started; of an export, the path is that of its first source. */
  | { readonly event: 'start'; readonly file: DayFile | undefined; readonly path: string }
  /** `received` bytes have arrived since the last such event of this file; `total` is the announced size. */
  | {
      readonly event: 'progress';
      readonly path: string;
      readonly received: number;
      readonly position: number;
      readonly total: number | undefined;
    }
  | {
      readonly event: 'retry';
      readonly path: string;
      readonly attempt: number;
      readonly waitMs: number;
      readonly error: FileError;
    }
  /** The whole run waits, because a response affects every file. */
  | { readonly event: 'pause'; readonly waitMs: number; readonly error: FileError }
  | { readonly event: 'warning'; readonly message: string }
  /** Information that is worth a line, without a problem. */
  | { readonly event: 'note'; readonly message: string }
  | FindingEvent
  | DayEvent
  | FileEvent;

/** The verdict of an audit on one day, in the order of series and days. */
export type DayEvent = { readonly event: 'day' } & AuditedDay;

/** How many files a run processes; for downloads also the plan. */
export type PlanEvent = { readonly event: 'plan'; readonly files: number } & Partial<PlanCounts> &
  Partial<Estimate> & {
    /** Range of the estimated bytes; null if it is so wide that the size is unknown. */
    readonly sizeRange?: SizeRange | null | undefined;
    /** Free space of the download folder's disk; null if the system does not report it. */
    readonly freeBytes?: number | null | undefined;
    /** The download folder, as the user named it. */
    readonly folder?: string | undefined;
    /** Set when existing files are checked or exported, not downloaded or converted. */
    readonly aim?: 'verify' | 'audit' | 'export' | undefined;
    /** Of an audit, the files that have no record and are read. */
    readonly read?: number | undefined;
  };

/**
 * Rules by which an export leaves out rows of day files: trades that round to size 0, or are in bars of volume 0;
 * snapshots, as `--snapshots` says; symbols with only one of two data types; symbols without a pair.
 */
export type LeftOutRule = 'zero_size' | 'zero_volume' | 'snapshots' | 'one_data_type' | 'no_pair' | 'no_rate';

/** What became of the rows of day files in an export. None is missing: `read` is the sum of the others. */
export interface RowCounts {
  readonly read: number;
  readonly written: number;
  readonly leftOut: Readonly<Partial<Record<LeftOutRule, number>>>;
}

/** Facts about a processed file, with the names of `--json` (docs/spec/command-line.md#file-event). */
export interface FileFacts {
  /** Relative to the download folder, with `/`; for a conversion, the requested output. */
  readonly path: string;
  /** Source of a conversion. */
  readonly source?: string | undefined;
  /** Sources of a conversion of all selected day files to one file, in the order of its rows. */
  readonly sources?: readonly string[] | undefined;
  /** For a download, the conversion of the day file; relative like `path`. */
  readonly output?: string | undefined;
  /** With `--as`, all outputs of the day file. Each new one has its own event as well. */
  readonly outputs?: readonly string[] | undefined;
  readonly bytes?: number | undefined;
  readonly md5?: string | undefined;
  /** Whether the `x-md5` header has the same checksum; null if there was none. */
  readonly md5Match?: boolean | null | undefined;
  /** Rows, without the header. */
  readonly rows?: number | undefined;
  /** Of an export: rows of day files that the output holds, or was made of. */
  readonly sourceRows?: number | undefined;
  /** Of an export: what became of the rows of all day files of a job, with its first event. */
  readonly dayFileRows?: RowCounts | undefined;
  /** Set by `verify` for a complete conversion in a different format version than this build writes. */
  readonly outdated?: true | undefined;
  readonly attempts?: number | undefined;
  readonly seconds?: number | undefined;
  readonly error?: FileError | undefined;
}

export interface FileEvent extends FileFacts {
  readonly event: 'file';
  readonly status: FileStatus;
  /** Job of the file, in a run with several jobs. */
  readonly job?: string | undefined;
  /** Undefined for a source whose name is not that of a day file. */
  readonly file: DayFile | undefined;
  /** Set for a bad file that `verify --repair` helps: what writes it again. */
  readonly repairedBy?: 'download' | 'export' | undefined;
}

/**
 * Kinds of findings in a folder check: `unknown` files that the manifest does not list, `stale` parts that
 * cannot be resumed, those that were `removed`, `resumable` parts for the next run, missing days of a series
 * (`gap`), and `extra` day files that a lock file does not list.
 */
export type FindingKind = 'unknown' | 'stale' | 'removed' | 'resumable' | 'gap' | 'extra';

export interface FindingEvent {
  readonly event: 'finding';
  readonly kind: FindingKind;
  readonly message: string;
  /** Relative to the download folder, with `/`. */
  readonly path?: string | undefined;
  readonly bytes?: number | undefined;
  /** Series of a gap. */
  readonly series?: Omit<DayFile, 'day'> | undefined;
  readonly days?: readonly Day[] | undefined;
}

export type EventSink = (event: RunEvent) => void;

/** Result of a whole run. */
export interface RunSummary {
  readonly exitCode: number;
  /** Number of files by status; statuses that did not occur are absent. */
  readonly counts: Readonly<Partial<Record<FileStatus, number>>>;
  readonly findings?: Readonly<Partial<Record<FindingKind, number>>> | undefined;
  /** Number of days by condition, of an audit; conditions that did not occur are absent. */
  readonly days?: Readonly<Partial<Record<DayCondition, number>>> | undefined;
  /** Of an audit that was asked for them, and judged all days. */
  readonly goodDays?: GoodDays | undefined;
  /** Complete conversions in a different format version than this build writes; absent if there are none. */
  readonly outdated?: number | undefined;
  /** Day files without rows that the run downloaded or verified; absent if there are none. */
  readonly empty?: number | undefined;
  /** Files that the run planned to fetch but did not finish, because it ended early. */
  readonly unfinished: number;
  /** Bytes of the files downloaded or converted by this run; of an audit, bytes read. */
  readonly bytes: number;
  readonly seconds: number;
  /** Of an export: what became of the rows of the day files. */
  readonly dayFileRows?: RowCounts | undefined;
  /** Of an export: what runs on its outputs. */
  readonly scripts?: readonly RunScript[] | undefined;
  /** Set if the API key has expired; absent if it is valid or its state is unknown. */
  readonly keyExpired?: boolean | undefined;
  /** Why the run ended early, or why an audit failed. */
  readonly error?: FileError | undefined;
  /** Why the run failed, as far as neither `error` nor the errors of files say so; absent if there is none. */
  readonly reasons?: readonly FileError[] | undefined;
  /** Result of each job of a sync. */
  readonly jobs?: readonly JobSummary[] | undefined;
}

/** A script, or the configuration of a backtester, that runs on what was exported. */
export interface RunScript {
  /** Its location. */
  readonly path: string;
  /** The command that runs it, for a shell; absent in an object store, from which it must be downloaded first. */
  readonly command?: string | undefined;
}

/** Result of one job of a sync. */
export interface JobSummary extends RunSummary {
  readonly name: string;
  /** Symbols that match the job's selection since its last run, and symbols that ended since then. */
  readonly newSymbols: readonly string[];
  readonly delistedSymbols: readonly string[];
}
