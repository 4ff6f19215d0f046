import type { Day } from '../dataset/day.js';
import type { SeriesSelection } from '../dataset/series-filter.js';
import type { Shard } from '../dataset/shard.js';
import type { ExportTargetName } from '../options/export-options.js';
import type { EventSink } from '../run/run-events.js';
import type { StoreSettings } from '../store/files.js';
import type { ExportContext } from './export-target.js';

export interface ExportInput {
  readonly target: ExportTargetName;
  /** As `ExportTarget.readSettings` returns them. */
  readonly settings: unknown;
  /** Locations of day files, folders, prefixes, or globs. */
  readonly paths: readonly string[];
  readonly selection: SeriesSelection & {
    readonly from: Day | undefined;
    /** The day after the last one. */
    readonly to: Day | undefined;
    readonly shard: Shard | undefined;
  };
  /** Whether a file is left out for another reason. */
  readonly isExcluded?: ((path: string) => Promise<boolean>) | undefined;
  /** Output folder or prefix. */
  readonly out: string;
  /** Jobs at the same time. */
  readonly jobs: number;
  readonly existing: 'skip' | 'overwrite';
  readonly context: ExportContext;
  readonly store: StoreSettings | undefined;
  readonly emit: EventSink;
}
