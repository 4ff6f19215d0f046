import type { Day } from '../day-files/day.js';
import type { ArrivalAudits } from '../download/conversion/arrival-audits.js';
import type { DownloadSettings, RequestedSelection } from '../download/download-options.js';
import type { AskForSpace } from '../download/plan/report-plan.js';
import type { EventSink } from '../events/run-events.js';
import type { ExportSetting } from '../export/export-target.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Destination } from '../store/destination.js';
import type { LockOwner } from '../store/lock/run-lock.js';

/** A selection to keep up to date. */
export interface SyncJob {
  readonly name: string;
  /** File and line that define it, for messages. */
  readonly where: string;
  readonly selection: RequestedSelection;
  readonly options: DownloadSettings;
  /** Milliseconds without a byte after which a transfer is aborted. */
  readonly stallTimeoutMs: number;
  /** Whether its files are audited on arrival. */
  readonly audit: boolean;
  /** The export of its series at the end of the run. */
  readonly export?: ExportSetting | undefined;
}

/** How to wait for the export of a day. */
export interface ExportWait {
  /** Milliseconds. After that, available days are downloaded, and the run ends with code 7. */
  readonly timeoutMs: number;
  /** The day to wait for; yesterday, UTC, by default. */
  readonly day?: Day | undefined;
  /** Milliseconds between two checks by attempt, from 0; by default from 1 to 10 minutes. */
  readonly stepMs?: ((attempt: number) => number) | undefined;
}

export interface SyncInput {
  readonly client: ServiceClient;
  /** Folder for copies of exchange records. */
  readonly cache?: string | undefined;
  readonly jobs: readonly SyncJob[];
  readonly destination: Destination;
  /** Undefined if no job is audited. */
  readonly audits?: ArrivalAudits | undefined;
  /** Options of the whole run, which limit all jobs together. */
  readonly options: Pick<DownloadSettings, 'concurrency' | 'maxRate' | 'shard'>;
  /** The process, for the lock of the destination. */
  readonly owner: LockOwner;
  /** Milliseconds to wait for another run in the folder; 0 for none. */
  readonly lockTimeoutMs: number;
  readonly waiting?: ExportWait | undefined;
  /** Milliseconds from the start after which no further file is started. */
  readonly maxDurationMs?: number | undefined;
  /** Asks whether to continue if the disk is too small; without it, that is a warning. */
  readonly askForSpace?: AskForSpace | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}
