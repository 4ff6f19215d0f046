import { secondsSince } from '../base/units.js';
import type { KeyProblem } from '../events/exit-reasons.js';
import type { JobSummary, RunSummary } from '../events/run-events.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { openJobs } from './open-jobs.js';
import type { OpenSyncJob } from './open-sync-job.js';
import { createJobSummary } from './run-sync-jobs.js';
import type { SyncInput } from './sync-options.js';
import { createSyncSummary } from './sync-summary.js';

/** A job with its plan. */
export interface PlannedJob {
  readonly name: string;
  readonly plan: NonNullable<OpenSyncJob['plan']>;
  readonly manifest: Manifest;
  readonly keyProblem: KeyProblem | undefined;
}

/**
 * Plans all jobs as a sync would, without a lock and without writing to the destination.
 * @param show reports the plan of one job, and resolves with its summary.
 * @throws TickhaulError as `sync`.
 */
export async function planJobs(
  input: SyncInput,
  show: (job: PlannedJob) => Promise<RunSummary>,
): Promise<RunSummary> {
  const startMs = performance.now();
  const { jobs, late, manifest, keyProblem } = await openJobs(input, input.signal);
  await manifest.close();
  const summaries: JobSummary[] = [];
  for (const openJob of jobs) {
    const { job, plan } = openJob;
    const summary = openJob.error
      ? undefined
      : plan && (await show({ name: job.name, plan, manifest, keyProblem }));
    summaries.push(createJobSummary(openJob, summary));
  }
  return {
    ...createSyncSummary(summaries, late, secondsSince(startMs)),
    ...(keyProblem === 'expired' && { keyExpired: true }),
  };
}
