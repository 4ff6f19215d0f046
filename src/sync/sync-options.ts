import type { Day } from '../dataset/day.js';
import type { DownloadOptions, Selection } from '../download/download-options.js';
import type { AskForSpace } from '../download/plan/report-plan.js';
import type { EventSink } from '../run/run-events.js';
import type { ServiceClient } from '../service/http/service-client.js';
import type { Destination } from '../store/destination.js';
import type { LockOwner } from '../store/lock/run-lock.js';

/** A selection that is to be kept up to date. */
export interface SyncJob {
  readonly name: string;
  /** File and line that define it, for messages. */
  readonly where: string;
  readonly selection: Selection;
  readonly options: DownloadOptions;
  /** Milliseconds without a byte after which a transfer is broken off. */
  readonly stallTimeoutMs: number;
}

/** How to wait for the export of a day. */
export interface ExportWait {
  /** Milliseconds; what is there then is downloaded, and the run ends with code 7. */
  readonly timeoutMs: number;
  /** The day to wait for; yesterday, UTC, by default. */
  readonly day?: Day | undefined;
  /** Milliseconds between two looks, the first after try 0; from 1 to 10 minutes by default. */
  readonly stepMs?: ((attempt: number) => number) | undefined;
}

export interface SyncInput {
  readonly client: ServiceClient;
  /** Folder for copies of exchange records. */
  readonly cache?: string | undefined;
  readonly jobs: readonly SyncJob[];
  readonly destination: Destination;
  /** Of the whole run: what bounds all jobs together. */
  readonly options: Pick<DownloadOptions, 'concurrency' | 'maxRate' | 'shard'>;
  /** Who runs, for the lock of the destination. */
  readonly owner: LockOwner;
  /** Milliseconds to wait for another run in the folder; 0 for none. */
  readonly lockTimeoutMs: number;
  readonly waiting?: ExportWait | undefined;
  /** Milliseconds from the start after which no file is begun. */
  readonly maxDurationMs?: number | undefined;
  /** Asks whether to go on where the disk is too small; without it, that is a warning. */
  readonly askForSpace?: AskForSpace | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}
