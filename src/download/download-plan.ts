import { secondsSince } from '../base/units.js';
import type { EventSink, RunSummary } from '../run/events.js';
import type { Client } from '../service/http/client.js';
import type { Destination } from '../store/destination.js';
import { placeOrReadOnly } from '../store/lock/read-only.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import { noteOfOther } from '../store/lock/take-lock.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { runJobs } from './jobs.js';
import type { CountedPlan } from './plan/plan.js';
import type { AskForSpace } from './plan/tell.js';
import type { Transfers } from './transfers.js';
import type { DownloadOptions } from './types.js';

export interface DownloadPlanInput {
  readonly destination: Destination;
  readonly plan: CountedPlan;
  /** Of the destination; it is closed in the end. */
  readonly manifest: Manifest;
  /** Whether the API key has expired, for the summary. */
  readonly keyExpired?: boolean | undefined;
  readonly client: Client;
  readonly options: DownloadOptions;
  /** Shared with other runs of this process; undefined where there are none. */
  readonly transfers?: Transfers | undefined;
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
  const { release, lost, other, ...place } = await placeOrReadOnly(destination, () =>
    destination.joinRun(owner, { signal: input.signal }),
  );
  try {
    noteOfOther(emit, destination.name, other);
    const signal = lost ? AbortSignal.any([input.signal, lost]) : input.signal;
    const job = { plan, options, client };
    const shared = { destination, manifest, ...place, options, transfers, emit, signal, askForSpace };
    const [summary] = await runJobs(shared, [job]);
    if (!summary) throw new Error('a run without a summary');
    return { ...summary, ...(keyExpired && { keyExpired }), seconds: secondsSince(started) };
  } finally {
    await manifest.close();
    await release();
  }
}
