import { secondsSince } from '../base/units.js';
import type { EventSink, RunSummary } from '../events/run-events.js';
import type { KeyProblem } from '../events/run-tally.js';
import type { ServiceClient } from '../service/service-client.js';
import { type Destination, joinOrReadOnly } from '../store/destination.js';
import { emitOtherRunNote } from '../store/lock/acquire-run-lock.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { ArrivalAudits } from './conversion/arrival-audits.js';
import type { CountedPlan } from './plan/create-download-plan.js';
import type { AskForSpace } from './plan/report-plan.js';
import { runDownloadJobs } from './run-download-jobs.js';
import type { TransferLimits } from './transfer-limits.js';

export interface DownloadPlanInput {
  readonly destination: Destination;
  readonly plan: CountedPlan;
  /** Manifest of the destination; closed when the run ends. */
  readonly manifest: Manifest;
  /** Why the API key covers no day but the free ones, for the summary. */
  readonly keyProblem?: KeyProblem | undefined;
  readonly client: ServiceClient;
  /** Paths of a lock file, if any other day file in the folder makes the run fail. */
  readonly lockedPaths?: { has(path: string): boolean } | undefined;
  /** Shared with other runs of this process; undefined for a single run. */
  readonly transfers?: TransferLimits | undefined;
  /** Undefined if nothing is audited. */
  readonly audits?: ArrivalAudits | undefined;
  /** Owner for the lock of the destination. */
  readonly owner: LockOwner;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
  /** Asks whether to continue if the disk is too small; without it, the run warns and continues. */
  readonly askForSpace?: AskForSpace | undefined;
}

/**
 * Downloads the files of one plan, in parallel with other runs if one of them holds the folder's lock.
 * @throws TickhaulError `disk`, also if a file must be downloaded to a read-only folder.
 */
export async function runDownloadPlan(input: DownloadPlanInput): Promise<RunSummary> {
  const startedAtMs = performance.now();
  const { destination, plan, manifest, client, owner, emit, keyProblem } = input;
  const { transfers, audits, askForSpace } = input;
  const { release, lost, other, ...runPlace } = await joinOrReadOnly(destination, () =>
    destination.joinRun(owner, { signal: input.signal }),
  );
  try {
    emitOtherRunNote(emit, destination.name, other);
    const signal = lost ? AbortSignal.any([input.signal, lost]) : input.signal;
    const job = { plan, client, keyProblem, lockedPaths: input.lockedPaths };
    const { options } = plan;
    const limits = { options, transfers, audits, askForSpace };
    const place = { destination, manifest, ...runPlace };
    const shared = { place, ...limits, emit, signal };
    const [summary] = await runDownloadJobs(shared, [job]);
    if (!summary) throw new Error('a run without a summary');
    return {
      ...summary,
      ...(keyProblem === 'expired' && { keyExpired: true }),
      seconds: secondsSince(startedAtMs),
    };
  } finally {
    await manifest.close();
    await release();
  }
}
