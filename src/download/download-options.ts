import type { OutputSelection } from '../convert/output-selection.js';
import type { DayFile } from '../dataset/day-file.js';
import type { DayRange } from '../dataset/day-range.js';
import type { LayoutChoice } from '../dataset/layout.js';
import type { Shard } from '../dataset/shard.js';
import type { OutputOptions } from '../format/output-options.js';
import type { ComputedType } from '../market/names/data-type-name.js';
import type { PlanStatus } from '../run/run-events.js';

/**
 * The user's selection, as text from flags, environment or a sync job
 * (docs/spec/command-line.md#day-selection).
 */
export interface Selection extends DayRange {
  readonly exchange: string;
  /** Data types, or `all`. */
  readonly types: readonly string[];
  /** Dataset symbols, globs or `all`, in any case; `@file` is resolved by the caller. */
  readonly symbols: readonly string[];
  readonly symbolTypes?: readonly string[] | undefined;
  /** Days of the week and ranges of them, such as `mon-fri`; undefined for all. */
  readonly weekdays?: readonly string[] | undefined;
  readonly layout: LayoutChoice;
}

/**
 * What a run does with a day file: `check` and `adopt` read the existing file first, write missing conversions, and
 * download it if it is corrupt; `drop` deletes a CSV of which only the conversions are kept.
 */
export type PlannedAction = 'fetch' | 'check' | 'adopt' | 'drop' | 'nothing';

/** The only accepted content of a day file, from a lock file. */
export interface ExpectedBytes {
  readonly bytes: number;
  /** SHA-256 in hex digits. */
  readonly sha256: string;
}

/** A file that is converted from a day file. */
export interface PlannedOutput {
  /** Relative to the download folder, with `/`. */
  readonly path: string;
  /** Undefined for the rows. */
  readonly type: ComputedType | undefined;
}

export interface PlannedFile {
  readonly file: DayFile;
  /** Relative to the download folder, with `/`. */
  readonly path: string;
  /** Conversions of the file; empty if none apply to its data type. */
  readonly outputs: readonly PlannedOutput[];
  readonly status: PlanStatus;
  readonly action: PlannedAction;
  /** The file at this path must be downloaded again. */
  readonly replaces?: true | undefined;
  /** Undefined if any complete file is accepted. */
  readonly expected?: ExpectedBytes | undefined;
  /** The service may not have the day: it is the day on which a symbol was delisted. */
  readonly mayBeAbsent: boolean;
}

/**
 * `skip` trusts the manifest and the size, `verify` reads existing files, `overwrite` downloads them again.
 */
export type Existing = 'skip' | 'verify' | 'overwrite';

/** Conversion of each day file on arrival. */
export interface ConvertSetting {
  readonly options: OutputOptions;
  /**
   * The types of `--as`, each reported by a separate event. Undefined for the rows, which are reported with their day
   * file.
   */
  readonly outputSelection?: OutputSelection | undefined;
  /**
   * Whether to keep the CSV after all its conversions are complete; without conversions it is always kept.
   */
  readonly keepCsv: boolean;
  /** Number of conversion threads. */
  readonly threads: number;
}

/** Options of a download run; `read-selection.ts` has the defaults. */
export interface DownloadSettings {
  /** Files in flight; `auto` starts at 8 and uses at most 20. */
  readonly concurrency: number | 'auto';
  /** Retries per file; an attempt with progress resets the count. */
  readonly retries: number;
  /** Longest accepted wait of a server, in milliseconds. */
  readonly maxWaitMs: number;
  /** Bytes per second over all transfers. */
  readonly maxRate?: number | undefined;
  readonly existing: Existing;
  readonly failFast: boolean;
  /** Whether pending or unavailable days make the run fail with exit code 7. */
  readonly strict: boolean;
  readonly convert?: ConvertSetting | undefined;
  /** Part of the day files; undefined for all. */
  readonly shard?: Shard | undefined;
}
