import type { DayFile } from '../dataset/day-file.js';
import type { DayRange } from '../dataset/day-range.js';
import type { PlanStatus } from '../events.js';

/** What the user selected, as plain text from flags, environment or a sync job (contract, Selection). */
export interface Selection extends DayRange {
  readonly exchange: string;
  /** Data types, or `all`. */
  readonly types: readonly string[];
  /** Dataset symbols, globs or `all`, in any case; `@file` is resolved by the caller. */
  readonly symbols: readonly string[];
  readonly symbolTypes?: readonly string[] | undefined;
  /** `flat`, `hive` or a template. */
  readonly layout: string;
}

/** What a run does with a day file: `check` and `adopt` read the file on disk first, and fetch it if it's bad. */
export type PlannedAction = 'fetch' | 'check' | 'adopt' | 'nothing';

export interface PlannedFile {
  readonly file: DayFile;
  /** Relative to the download folder, with `/`. */
  readonly path: string;
  readonly status: PlanStatus;
  readonly action: PlannedAction;
  /** The service may say that the day isn't there: the day on which a symbol was delisted. */
  readonly mayBeAbsent: boolean;
}

/** `skip` trusts the manifest and the size, `verify` reads what is there, `overwrite` fetches it again. */
export type Existing = 'skip' | 'verify' | 'overwrite';

/** How a run transfers; each default stands in the contract, section Download. */
export interface DownloadOptions {
  /** Download folder. */
  readonly dir: string;
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
}
