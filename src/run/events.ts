import type { FileError } from '../base/file-error.js';
import type { Day } from '../dataset/day.js';
import type { DayFile } from '../dataset/day-file.js';

/** What a plan says of a day file before anything is requested. */
export type PlanStatus = 'download' | 'skip' | 'resume' | 'pending' | 'unavailable' | 'unauthorized';

/** What became of a day file. The last three are those that are never requested. */
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

/** How many day files there are, and how many of each status. */
export type PlanCounts = Readonly<Record<PlanStatus | 'files', number>>;

/** What an estimate rests on: earlier days of the same series, the exchange's totals, what is usual for a data type. */
export type EstimateBasis = 'manifest' | 'record' | 'typical';

/** What the day files that are to be fetched are expected to come to; null where nothing is known to go by. */
export interface Estimate {
  /** Compressed, as they come. */
  readonly estimatedBytes: number | null;
  readonly estimatedRows: number | null;
  readonly estimatedSeconds: number | null;
  /** The least sure one that a good part of the bytes rests on. */
  readonly estimateBasis: EstimateBasis | null;
}

/**
 * What a run tells while it works, in this order: `plan` once, before any `file`; then `start`, `progress`,
 * `retry`, `pause`, `warning` and `file` as they come. The command line makes bars, lines or JSON of them; a
 * library user gets the very same.
 */
export type RunEvent =
  | PlanEvent
  /** A transfer or a conversion began. */
  | { readonly event: 'start'; readonly file: DayFile | undefined; readonly path: string }
  /** Bytes that arrived since the last such event of this file; `total` is the announced size. */
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
  /** The whole run waits, since an answer concerns every file. */
  | { readonly event: 'pause'; readonly waitMs: number; readonly error: FileError }
  | { readonly event: 'warning'; readonly message: string }
  /** Worth a line, and nothing is wrong. */
  | { readonly event: 'note'; readonly message: string }
  | FindingEvent
  | FileEvent;

/** How many files a run sets out to work on; of a download, what is planned for them too. */
export type PlanEvent = { readonly event: 'plan'; readonly files: number } & Partial<PlanCounts> &
  Partial<Estimate> & {
    /** Bytes that the disk of the download folder has left; null where the system doesn't tell. */
    readonly freeBytes?: number | null | undefined;
    /** Where a download brings its files, as its user names it. */
    readonly folder?: string | undefined;
    /** Said of a check: its files are read and neither fetched nor made. */
    readonly aim?: 'verify' | undefined;
  };

/** What is known of a file that was worked on, with the same names in `--json` (contract, Output). */
export interface FileFacts {
  /** Relative to the download folder, with `/`; of a conversion, the output as it was asked for. */
  readonly path: string;
  /** What a conversion was made from. */
  readonly source?: string | undefined;
  /** Of a download, what the day file was converted to; relative as `path` is. */
  readonly output?: string | undefined;
  /** The same where `--as` names what is made: each of these has an event of its own as well, when it was made. */
  readonly outputs?: readonly string[] | undefined;
  readonly bytes?: number | undefined;
  readonly md5?: string | undefined;
  /** Whether `x-md5` named the same sum; null when none came. */
  readonly md5Match?: boolean | null | undefined;
  /** Rows, the header not counted. */
  readonly rows?: number | undefined;
  /** Said by `verify` of a whole conversion of another version than this build makes. */
  readonly outdated?: true | undefined;
  readonly attempts?: number | undefined;
  readonly seconds?: number | undefined;
  readonly error?: FileError | undefined;
}

export interface FileEvent extends FileFacts {
  readonly event: 'file';
  readonly status: FileStatus;
  /** Of a run of several jobs, the one that the file belongs to. */
  readonly job?: string | undefined;
  /** Undefined where a file to convert doesn't tell by its name which day file it is. */
  readonly file: DayFile | undefined;
}

/**
 * What a check of a folder finds beside the files that it checks: files that the manifest doesn't know, parts
 * that nobody will go on with, and those of them that it removed, parts that the next run resumes, days that a
 * series lacks, day files that a lock file doesn't name.
 */
export type FindingKind = 'unknown' | 'stale' | 'removed' | 'resumable' | 'gap' | 'extra';

export interface FindingEvent {
  readonly event: 'finding';
  readonly kind: FindingKind;
  readonly message: string;
  /** Relative to the download folder, with `/`. */
  readonly path?: string | undefined;
  readonly bytes?: number | undefined;
  /** Of a gap. */
  readonly series?: Omit<DayFile, 'day'> | undefined;
  readonly days?: readonly Day[] | undefined;
}

export type EventSink = (event: RunEvent) => void;

/** What a whole run came to. */
export interface RunSummary {
  readonly exitCode: number;
  /** How often each status occurred; statuses that did not occur are absent. */
  readonly counts: Readonly<Partial<Record<FileStatus, number>>>;
  readonly findings?: Readonly<Partial<Record<FindingKind, number>>> | undefined;
  /** Whole conversions of another version than this build makes; absent where there are none. */
  readonly outdated?: number | undefined;
  /** Files that the run set out to fetch and did not finish, since it ended early. */
  readonly unfinished: number;
  /** Bytes of the files downloaded or made by this run. */
  readonly bytes: number;
  readonly seconds: number;
  /** Whether the API key has expired; absent where it has not, or nobody knows. */
  readonly keyExpired?: boolean | undefined;
  /** Why the run ended early, where it did. */
  readonly error?: FileError | undefined;
  /** Of a sync, what each job came to. */
  readonly jobs?: readonly JobSummary[] | undefined;
}

/** What one job of a sync came to. */
export interface JobSummary extends RunSummary {
  readonly name: string;
  /** Symbols that the job's selection matches since its last run, and those that ended since. */
  readonly newSymbols: readonly string[];
  readonly delistedSymbols: readonly string[];
}
