import type { OutputSelection } from '../convert/output-selection.js';
import type { DayFile } from '../dataset/day-file.js';
import type { DayRange } from '../dataset/day-range.js';
import type { LayoutChoice } from '../dataset/layout.js';
import type { Shard } from '../dataset/shard.js';
import type { ConvertOptions } from '../format/convert-options.js';
import type { ComputedType } from '../market/names/data-type-name.js';
import type { PlanStatus } from '../run/run-events.js';

/** What the user selected, as plain text from flags, environment or a sync job (contract, Selection). */
export interface Selection extends DayRange {
  readonly exchange: string;
  /** Data types, or `all`. */
  readonly types: readonly string[];
  /** Dataset symbols, globs or `all`, in any case; `@file` is resolved by the caller. */
  readonly symbols: readonly string[];
  readonly symbolTypes?: readonly string[] | undefined;
  /** Days of the week and ranges of them, as `mon-fri`; undefined for all. */
  readonly weekdays?: readonly string[] | undefined;
  readonly layout: LayoutChoice;
}

/**
 * What a run does with a day file: `check` and `adopt` read the file on disk first, convert it where that is
 * missing, and fetch it if it's bad; `dropCsv` deletes a CSV where only what was made of it is wanted.
 */
export type PlannedAction = 'fetch' | 'check' | 'adopt' | 'drop' | 'nothing';

/** The only bytes of a day file that are right, as a lock file names them. */
export interface ExpectedBytes {
  readonly bytes: number;
  /** Hex digits. */
  readonly sha256: string;
}

/** One file that is made of a day file. */
export interface PlannedOutput {
  /** Relative to the download folder, with `/`. */
  readonly path: string;
  /** Undefined for the rows as they are. */
  readonly type: ComputedType | undefined;
}

export interface PlannedFile {
  readonly file: DayFile;
  /** Relative to the download folder, with `/`. */
  readonly path: string;
  /** What is to be made of it; none where nothing is wanted of its data type. */
  readonly outputs: readonly PlannedOutput[];
  readonly status: PlanStatus;
  readonly action: PlannedAction;
  /** Something stands at its path that is to be fetched again. */
  readonly replaces?: true | undefined;
  /** Undefined where any whole file will do. */
  readonly expected?: ExpectedBytes | undefined;
  /** The service may say that the day isn't there: the day on which a symbol was delisted. */
  readonly mayBeAbsent: boolean;
}

/** `skip` trusts the manifest and the size, `verify` reads what is there, `overwrite` fetches it again. */
export type Existing = 'skip' | 'verify' | 'overwrite';

/** What a run makes of each day file as it arrives (contract, Download and Convert). */
export interface ConvertSetting {
  readonly options: ConvertOptions;
  /**
   * What `--as` names: each output is told by an event of its own then. Undefined for the rows, which are told with
   * their day file.
   */
  readonly outputSelection?: OutputSelection | undefined;
  /** Whether the CSV stays once all that is made of it is whole; it stays where nothing is. */
  readonly keepCsv: boolean;
  /** Threads that convert: as many as there are processors. */
  readonly threads: number;
}

/** How a run transfers; each default stands in the contract, section Download. */
export interface DownloadOptions {
  /** Files in flight; `auto` begins at 8 and never passes 20. */
  readonly concurrency: number | 'auto';
  /** Tries again per file; a try that brought new bytes starts the count anew. */
  readonly retries: number;
  /** Milliseconds: the longest wait a server may ask for. */
  readonly maxWaitMs: number;
  /** Bytes a second over all transfers. */
  readonly maxRate?: number | undefined;
  readonly existing: Existing;
  readonly failFast: boolean;
  /** Pending or unavailable days make the run fail with code 7. */
  readonly strict: boolean;
  readonly convert?: ConvertSetting | undefined;
  /** Which part of the day files is meant; undefined for all. */
  readonly shard?: Shard | undefined;
}
