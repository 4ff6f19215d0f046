import type { OutputSelection } from '../convert/output-selection.js';
import type { SymbolChoice } from '../day-files/dataset-symbol.js';
import type { DayFile } from '../day-files/day-file.js';
import type { DaySelection } from '../day-files/day-selection.js';
import type { PlanStatus } from '../events/run-events.js';
import type { OutputOptions } from '../format/output-format.js';
import type { ComputedType } from '../market/message-type-name.js';
import type { PLAN_DOWNLOAD_OPTIONS, PLAN_SELECTION_OPTIONS } from '../options/day-file-options.js';
import type { OptionValues } from '../options/option-values.js';

/**
 * The user's selection, parsed from flags, environment or a sync job (docs/spec/command-line.md#day-selection).
 * Symbols of `@file` lists are resolved; nothing depends on the exchange's record yet.
 */
export interface Selection
  extends Omit<OptionValues<typeof PLAN_SELECTION_OPTIONS>, keyof DaySelection | 'days'>,
    DaySelection {
  readonly exchange: string;
}

/** A selection before the exchange's record is known: some symbols may be lists. */
export interface RequestedSelection extends Omit<Selection, 'symbols'> {
  readonly symbols: readonly SymbolChoice[];
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
  /** The file is skipped, but its start was never checked. */
  readonly isUnchecked?: true | undefined;
  /** The existing file must be downloaded again if it has no rows. */
  readonly replacesEmpty?: true | undefined;
  /** Undefined if any complete file is accepted. */
  readonly expected?: ExpectedBytes | undefined;
  /** The service may not have the day: it is the day on which a symbol was delisted. */
  readonly mayBeAbsent: boolean;
}

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

/** Options of a plan and its download. `readDownloadOptions` reads them, and adds their defaults. */
export interface DownloadSettings extends OptionValues<typeof PLAN_DOWNLOAD_OPTIONS> {
  readonly convert?: ConvertSetting | undefined;
  /** Whether the latest days that came without rows are requested again. */
  readonly repeatsEmpty?: boolean | undefined;
}

/**
 * What happens to existing files: `skip` trusts the manifest and the size, `verify` reads them, `overwrite` downloads
 * them again.
 */
export type Existing = DownloadSettings['existing'];
