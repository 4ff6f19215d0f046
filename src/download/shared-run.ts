import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { EventSink } from '../events/run-events.js';
import type { KeyProblem } from '../events/run-tally.js';
import { createTransferPool, type TransferPool } from '../http/transfer-pool.js';
import type { ServiceClient } from '../service/service-client.js';
import type { RunPlace } from '../store/destination.js';
import type { ArrivalAudits } from './conversion/arrival-audits.js';
import { type ArrivalWork, createConvertThreads } from './conversion/arrival-work.js';
import { createConversions } from './conversion/conversions.js';
import type { ConvertSetting, DownloadSettings } from './download-options.js';
import type { CountedPlan } from './plan/create-download-plan.js';
import type { AskForSpace } from './plan/report-plan.js';
import { createTransferLimits, type TransferLimits } from './transfer-limits.js';

/** A plan, and the client that downloads its files. */
export interface DownloadJob {
  /** Reported with each file if there are several jobs. */
  readonly name?: string | undefined;
  readonly plan: CountedPlan;
  /** Paths, directly after the probes in the plan, to process before the other files of all jobs. */
  readonly urgent?: ReadonlySet<string> | undefined;
  readonly client: ServiceClient;
  /** Why the API key covers no day but the free ones, for the summary. */
  readonly keyProblem?: KeyProblem | undefined;
  /** Whether the audits of the run leave out its files. */
  readonly isUnaudited?: boolean | undefined;
  /** Paths of a lock file, if any other day file in the folder makes the job fail. */
  readonly lockedPaths?: { has(path: string): boolean } | undefined;
}

export interface DownloadJobsInput {
  readonly place: RunPlace;
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
export interface DownloadContext extends Omit<DownloadJobsInput, 'transfers'> {
  readonly pool: TransferPool;
  readonly transfers: TransferLimits;
  /** Whether other runs of this process may process the same files. */
  readonly sharesFolder: boolean;
  /** Set if several jobs may have the same file: start of the run, in milliseconds since the epoch. */
  readonly jobsStartedMs: number | undefined;
  /** Stops all jobs, for an error that affects every file. */
  readonly stop: AbortController;
  /** Aborted by the caller or by `stop`. */
  readonly stopped: AbortSignal;
  /** Jobs with the same setting share its threads. @param isUnaudited whether the audits leave out the files. */
  workFor(setting: ConvertSetting | undefined, isUnaudited?: boolean): ArrivalWork;
}

/** Creates the state that jobs share. @param jobs number of jobs. */
export function openSharedRun(input: DownloadJobsInput, jobs: number): DownloadContext {
  const { place, options, signal } = input;
  const transfers = input.transfers ?? createTransferLimits(options);
  const works = new Map<string | undefined, ArrivalWork>();
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  // Many listeners are expected: each file in flight adds one.
  setMaxListeners(0, signal, stopped);
  // The manifest batches records. No other record follows while all files wait for theirs.
  const flush = (): void => void place.manifest.flush();
  const pool = createTransferPool(transfers.concurrency, stopped, transfers.slots, flush);
  const emit: EventSink = (event) => {
    input.emit(event);
    if (event.event === 'progress') pool.updateLimit();
  };
  const openWork = (setting: ConvertSetting | undefined): ArrivalWork => ({
    threads: createConvertThreads(setting?.threads ?? availableParallelism(), place.destination.settings),
    conversions: setting && createConversions(setting, place.destination, place.partSuffix, emit),
    audits: input.audits,
  });
  return {
    ...input,
    emit,
    pool,
    transfers,
    sharesFolder: input.transfers !== undefined,
    jobsStartedMs: jobs > 1 ? Date.now() : undefined,
    stop,
    stopped,
    workFor(setting, isUnaudited) {
      const key = setting && JSON.stringify(setting);
      const work = works.get(key) ?? openWork(setting);
      works.set(key, work);
      return isUnaudited ? { ...work, audits: undefined } : work;
    },
  };
}
