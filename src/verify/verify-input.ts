import type { SeriesSelection } from '../dataset/series-filter.js';
import type { Shard } from '../dataset/shard.js';
import type { EventSink } from '../run/run-events.js';
import type { Destination } from '../store/destination.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { CheckThread } from './check/check-thread.js';
import type { RepairFiles } from './file-check.js';

/** What a check of a download folder is told. */
export interface VerifyInput {
  /** The download folder. */
  readonly destination: Destination;
  /** What to check: relative to the download folder, with `/`; none for all. */
  readonly paths: readonly string[];
  /** Which day files of it; undefined for all, and for files of which nobody knows what they are. */
  readonly selection?: SeriesSelection | undefined;
  /** Which part of those; undefined for all. */
  readonly shard?: Shard | undefined;
  /** Presence and size only, and of objects the ETag; else each file is read to its end. */
  readonly quick: boolean;
  /** How many threads. */
  readonly jobs: number;
  /** Some that were started beforehand, as that takes a while; the caller closes them, whatever happens. */
  readonly threads?: readonly CheckThread[] | undefined;
  /** Records whole files that the manifest doesn't know. */
  readonly adopt: boolean;
  /** Removes what ended runs left. */
  readonly clean: boolean;
  /** Days that a series lacks make the run fail with code 7. */
  readonly strict: boolean;
  /** Takes missing files out of the manifest; nothing else is done about bad ones. */
  readonly forget: boolean;
  /** Brings bad files again, and tells what became of each; undefined where they are only told. */
  readonly repair?: RepairFiles | undefined;
  readonly owner: LockOwner;
  /** Milliseconds to wait for another run in a folder that is to be changed; none by default. */
  readonly lockTimeoutMs?: number | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}
