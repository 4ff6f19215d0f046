import type { Day } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import type { RequestedSeries } from '../day-files/series-filter.js';
import type { Shard } from '../day-files/shard.js';
import type { EventSink } from '../events/run-events.js';
import type { ExportTargetName } from '../options/export-options.js';
import type { StoreSettings } from '../store/files.js';
import type { ExportContext } from './export-target.js';

/** What to export to, and where. */
export interface ExportSetting {
  readonly target: ExportTargetName;
  /** As `ExportTarget.readSettings` returns them. */
  readonly settings: unknown;
  /** Output folder or prefix. */
  readonly out: string;
}

export interface ExportInput extends ExportSetting {
  /** Locations of day files, folders, prefixes, or globs. */
  readonly paths: readonly string[];
  readonly selection: RequestedSeries & {
    readonly from: Day | undefined;
    /** The day after the last one. */
    readonly to: Day | undefined;
    readonly shard: Shard | undefined;
  };
  /** Whether a file is left out for another reason. @param file undefined if its day file is unknown. */
  readonly isExcluded?: ((path: string, file: DayFile | undefined) => Promise<boolean>) | undefined;
  /** Jobs at the same time. */
  readonly jobs: number;
  readonly existing: 'skip' | 'overwrite';
  readonly context: ExportContext;
  readonly store: StoreSettings | undefined;
  readonly emit: EventSink;
}
