import { secondsSince } from '../base/units.js';
import type { DownloadOptions } from '../download/download-options.js';
import type { JobSummary, RunSummary } from '../run/run-events.js';
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
  readonly options: DownloadOptions;
  readonly manifest: Manifest;
  readonly keyExpired: boolean;
}

/**
 * Plans all jobs as a sync would. It takes no lock, and writes nothing into the destination.
 * @param show reports the plan of one job, and resolves with what it comes to.
 * @throws TickhaulError as `sync`.
 */
export async function planJobs(
  input: SyncInput,
  show: (job: PlannedJob) => Promise<RunSummary>,
): Promise<RunSummary> {
  const started = performance.now();
  const { jobs, late, manifest, keyExpired } = await openJobs(input, input.signal);
  await manifest.close();
  const summaries: JobSummary[] = [];
  for (const open of jobs) {
    const { job, plan, error } = open;
    if (error) input.emit({ event: 'warning', message: `${job.name}: ${error.message}` });
    const { name, options } = job;
    const summary = plan && (await show({ name, plan, options, manifest, keyExpired }));
    summaries.push(createJobSummary(open, summary));
  }
  return { ...createSyncSummary(summaries, late, secondsSince(started)), ...(keyExpired && { keyExpired }) };
}
