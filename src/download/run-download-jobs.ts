import { onAbort } from '../base/wait.js';
import type { RunSummary } from '../run/run-events.js';
import type { Conversions } from './conversion/conversions.js';
import type { DownloadJob } from './download-job.js';
import { JobRun } from './job-run.js';
import type { PlanTotals } from './plan/create-download-plan.js';
import { hasAmpleSpace, reportPlan } from './plan/report-plan.js';
import { type DownloadJobsInput, openSharedRun } from './shared-run.js';

/**
 * Downloads the files of several plans through one pool, plan by plan. Failed files are reported as events. A failed job
 * does not stop the others, unless its error affects every file.
 * @returns a summary for each job.
 * @throws TickhaulError `readOnly` if it is set and a file must be downloaded.
 */
export async function runDownloadJobs(
  input: DownloadJobsInput,
  jobs: readonly DownloadJob[],
): Promise<readonly RunSummary[]> {
  if (jobs.length === 0) return [];
  const conversions = new Map<string, Conversions>();
  const pending = { reports: [] as (() => void)[] | undefined };
  const shared = openSharedRun(input, jobs.length, conversions, (report) => {
    if (pending.reports) pending.reports.push(report);
    else report();
  });
  const removeListener = onAbort(shared.stopped, () => input.manifest.flushSoon());
  const runs = jobs.map((job) => new JobRun(shared, job));
  const countAndReport = async (): Promise<readonly (PlanTotals | undefined)[]> => {
    const totals = await Promise.all(runs.map((run) => run.count()));
    if (!totals.every((total) => total !== undefined)) return totals;
    const plans = jobs.map(({ plan: { options } }, i) => ({ options, totals: totals[i] }));
    if (!input.isPart) await reportPlan(input, plans);
    const reports = pending.reports ?? [];
    pending.reports = undefined;
    for (const report of reports) report();
    return totals;
  };
  let planReported: ReturnType<typeof countAndReport> | undefined;
  const reportPlanOnce = (): ReturnType<typeof countAndReport> => {
    planReported ??= countAndReport();
    return planReported;
  };
  try {
    if (input.readOnly) {
      const totals = await reportPlanOnce();
      if (totals.some((total) => (total?.volume.files ?? 0) > 0)) throw input.readOnly;
    }
    // If there may be a question about space, start nothing before the answer.
    if (input.askForSpace && !(await hasAmpleSpace(input.destination, jobs))) await reportPlanOnce();
    const feeds = runs.map((run) => run.feed(reportPlanOnce));
    // First the urgent files of all jobs, then the rest.
    for (const feed of feeds) await feed.next();
    for (const feed of feeds) await feed.next();
    await shared.pool.waitForIdle();
    for (const run of runs) await run.reportExtraFiles();
  } finally {
    removeListener();
  }
  return runs.map((run) => run.summary());
}
