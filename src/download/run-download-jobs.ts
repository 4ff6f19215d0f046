import { onAbort } from '../base/wait.js';
import type { RunSummary } from '../run/run-events.js';
import type { DownloadJob } from './download-job.js';
import { JobRun } from './job-run.js';
import { reportPlan } from './plan/report-plan.js';
import { type DownloadJobsInput, openSharedRun } from './shared-run.js';

/**
 * Downloads the files of several plans through one pool: counts and reports the plans, then starts their files. Failed
 * files are reported as events. A failed job does not stop the others, unless its error affects every file.
 * @returns a summary for each job.
 * @throws TickhaulError `readOnly` if it is set and a file must be downloaded; `disk` if the user declines.
 */
export async function runDownloadJobs(
  input: DownloadJobsInput,
  jobs: readonly DownloadJob[],
): Promise<readonly RunSummary[]> {
  if (jobs.length === 0) return [];
  const shared = openSharedRun(input, jobs.length);
  const removeListener = onAbort(shared.stopped, () => input.manifest.flushSoon());
  const runs = jobs.map((job) => new JobRun(shared, job));
  try {
    const totals = await Promise.all(runs.map((run) => run.count()));
    const plans = jobs.map(({ plan: { options } }, i) => ({ options, totals: totals[i] }));
    // A stopped run reports no plan, since its counts are not complete.
    const isCounted = totals.every((total) => total !== undefined);
    if (isCounted && !input.isPart) await reportPlan(input, plans);
    if (input.readOnly && totals.some((total) => (total?.volume.files ?? 0) > 0)) throw input.readOnly;
    const feeds = runs.map((run) => run.feed());
    // The first files of all jobs at once, then the urgent ones, then the rest.
    await Promise.all(feeds.map((feed) => feed.next()));
    for (const feed of feeds) await feed.next();
    for (const feed of feeds) await feed.next();
    await shared.pool.waitForIdle();
    for (const run of runs) await run.reportExtraFiles();
  } finally {
    removeListener();
  }
  return runs.map((run) => run.summary());
}
