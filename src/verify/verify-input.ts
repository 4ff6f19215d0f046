import type { RequestedSeries } from '../dataset/series-filter.js';
import type { Shard } from '../dataset/shard.js';
import type { EventSink } from '../run/run-events.js';
import type { Destination } from '../store/destination.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { InspectFiles } from './check/check-all.js';
import type { RepairFiles } from './file-check.js';

/** Input of a check of a download folder. */
export interface VerifyInput {
  /** The download folder. */
  readonly destination: Destination;
  /** Paths to check, relative to the download folder, with `/`; empty for all. */
  readonly paths: readonly string[];
  /** The paths as the user typed them, for messages. */
  readonly names?: ReadonlyMap<string, string> | undefined;
  /** Day files to check; undefined for all, including files that no name or record identifies. */
  readonly selection?: RequestedSeries | undefined;
  /** The shard of the selected files to check; undefined for all. */
  readonly shard?: Shard | undefined;
  /** Checks existence and size only, and the ETag of objects; otherwise each file is read completely. */
  readonly quick: boolean;
  /** Number of threads. */
  readonly jobs: number;
  /** Inspects the files of a destination that threads cannot read; undefined for all others. */
  readonly inspect?: InspectFiles | undefined;
  /** Records valid files that the manifest lacks. */
  readonly adopt: boolean;
  /** Removes temporary files left by earlier runs. */
  readonly clean: boolean;
  /** Missing days of a series make the run fail with code 7. */
  readonly strict: boolean;
  /** Removes missing files from the manifest. Other bad files are only reported. */
  readonly forget: boolean;
  /** Repairs bad files and reports the results; undefined if bad files are only reported. */
  readonly repair?: RepairFiles | undefined;
  readonly owner: LockOwner;
  /** Milliseconds to wait for another run if this run writes to the folder; no wait by default. */
  readonly lockTimeoutMs?: number | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}
