import { secondsSince } from '../base/units.js';
import type { EventSink, RunSummary } from '../run/run-events.js';
import type { ServiceClient } from '../service/http/service-client.js';
import type { Destination } from '../store/destination.js';
import { emitOtherRunNote } from '../store/lock/acquire-run-lock.js';
import { joinOrReadOnly } from '../store/lock/read-only.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { DownloadOptions } from './download-options.js';
import type { CountedPlan } from './plan/create-download-plan.js';
import type { AskForSpace } from './plan/report-plan.js';
import { runDownloadJobs } from './run-download-jobs.js';
import type { TransferLimits } from './transfer-limits.js';

export interface DownloadPlanInput {
  readonly destination: Destination;
  readonly plan: CountedPlan;
  /** Of the destination; it is closed in the end. */
  readonly manifest: Manifest;
  /** Whether the API key has expired, for the summary. */
  readonly keyExpired?: boolean | undefined;
  readonly client: ServiceClient;
  readonly options: DownloadOptions;
  /** Shared with other runs of this process; undefined where there are none. */
  readonly transfers?: TransferLimits | undefined;
  /** Who runs, for the lock of the destination. */
  readonly owner: LockOwner;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
  /** Asks whether to go on where the disk is too small; without it, that is a warning. */
  readonly askForSpace?: AskForSpace | undefined;
}

/**
 * Brings the files of one plan to disk, beside another run where one holds the folder's lock.
 * @throws TickhaulError `disk`, also for a folder that may only be read, where a file is to be fetched.
 */
export async function downloadPlan(input: DownloadPlanInput): Promise<RunSummary> {
  const started = performance.now();
  const { destination, plan, manifest, client, options, transfers, owner, emit, keyExpired, askForSpace } =
    input;
  const { release, lost, other, ...place } = await joinOrReadOnly(destination, () =>
    destination.joinRun(owner, { signal: input.signal }),
  );
  try {
    emitOtherRunNote(emit, destination.name, other);
    const signal = lost ? AbortSignal.any([input.signal, lost]) : input.signal;
    const job = { plan, options, client };
    const shared = { destination, manifest, ...place, options, transfers, emit, signal, askForSpace };
    const [summary] = await runDownloadJobs(shared, [job]);
    if (!summary) throw new Error('a run without a summary');
    return { ...summary, ...(keyExpired && { keyExpired }), seconds: secondsSince(started) };
  } finally {
    await manifest.close();
    await release();
  }
}
