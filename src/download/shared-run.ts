import { setMaxListeners } from 'node:events';
import type { TickhaulError } from '../base/errors.js';
import type { EventSink } from '../run/run-events.js';
import type { Destination } from '../store/destination.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { createTransferPool, type TransferPool } from '../transfer/transfer-pool.js';
import type { ArrivalAudits } from './conversion/arrival-audits.js';
import { type Conversions, createConversions } from './conversion/conversions.js';
import type { ConvertSetting, DownloadSettings } from './download-options.js';
import type { AskForSpace } from './plan/report-plan.js';
import { createRecordWriter, type RecordWriter } from './record-writer.js';
import { createTransferLimits, type TransferLimits } from './transfer-limits.js';

export interface DownloadJobsInput {
  readonly destination: Destination;
  readonly manifest: Manifest;
  /** Makes the names of part files unique to this run if another run works in the same folder. */
  readonly partSuffix: string | undefined;
  /** Set if the destination is read-only: the error to throw if a file must be downloaded. */
  readonly readOnly?: TickhaulError | undefined;
  /** Limits of all jobs together. */
  readonly options: Pick<DownloadSettings, 'concurrency' | 'maxRate'>;
  /** Shared with other runs of this process; undefined for a single run. */
  readonly transfers?: TransferLimits | undefined;
  /** Undefined if nothing is audited. */
  readonly audits?: ArrivalAudits | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
  /** After its abort no file is started, and files in flight are finished. */
  readonly stopStarting?: AbortSignal | undefined;
  readonly askForSpace?: AskForSpace | undefined;
  /** Whether the plans are parts of one that was already reported, so that no plan event is emitted. */
  readonly isPart?: boolean | undefined;
}

/** Shared by the jobs of one run. */
export interface SharedRun extends Omit<DownloadJobsInput, 'transfers'> {
  readonly pool: TransferPool;
  readonly recording: RecordWriter;
  readonly transfers: TransferLimits;
  /** Whether other runs may download the same files. */
  readonly sharesFolder: boolean;
  /** Stops all jobs, for an error that affects every file. */
  readonly stop: AbortController;
  /** Aborted by the caller or by `stop`. */
  readonly stopped: AbortSignal;
  /** Started files by path, since two jobs may have the same file. Undefined for a single job. */
  readonly startedFiles: Map<string, Promise<unknown>> | undefined;
  conversionsFor(setting: ConvertSetting | undefined): Conversions | undefined;
}

/**
 * Creates the state that jobs share.
 * @param jobs number of jobs.
 */
export function openSharedRun(input: DownloadJobsInput, jobs: number): SharedRun {
  const { destination, options, signal, partSuffix } = input;
  const transfers = input.transfers ?? createTransferLimits(options);
  const conversions = new Map<string, Conversions>();
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  // Many listeners are expected: each file in flight adds one.
  setMaxListeners(0, signal, stopped);
  const pool = createTransferPool(transfers.concurrency, stopped, transfers.slots);
  const emit: EventSink = (event) => {
    input.emit(event);
    if (event.event === 'progress') pool.updateLimit();
  };
  return {
    ...input,
    emit,
    pool,
    recording: createRecordWriter(input.manifest),
    transfers,
    sharesFolder: input.transfers !== undefined,
    stop,
    stopped,
    startedFiles: jobs > 1 ? new Map() : undefined,
    conversionsFor(setting) {
      if (!setting) return undefined;
      const key = JSON.stringify(setting);
      const created = conversions.get(key) ?? createConversions(setting, destination, partSuffix, emit);
      conversions.set(key, created);
      return created;
    },
  };
}
