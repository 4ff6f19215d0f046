import { secondsSince } from '../base/units.js';
import type { DownloadOptions } from '../download/types.js';
import type { JobSummary, RunSummary } from '../run/events.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { OpenJob } from './open-job.js';
import { openJobs } from './open-jobs.js';
import { jobSummary } from './run.js';
import { summarize } from './summary.js';
import type { SyncInput } from './types.js';

/** A job with its plan. */
export interface PlannedJob {
  readonly name: string;
  readonly plan: NonNullable<OpenJob['plan']>;
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
    summaries.push(jobSummary(open, summary));
  }
  return { ...summarize(summaries, late, secondsSince(started)), ...(keyExpired && { keyExpired }) };
}
