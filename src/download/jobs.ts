import { onAbort } from '../base/wait.js';
import type { RunSummary } from '../run/events.js';
import type { Conversions } from './conversion/conversions.js';
import type { DownloadJob } from './job.js';
import { JobRun } from './job-run.js';
import { hasAmpleSpace, tellPlan } from './plan/tell.js';
import { type JobsInput, openShared } from './shared-run.js';

/**
 * Brings the files of several plans to disk through one pool, plan after plan. Failed files are told as events.
 * A job that fails doesn't stop the others, unless its error concerns every file.
 * @returns a summary for each job.
 * @throws TickhaulError `readOnly` where that is given and a file is to be fetched.
 */
export async function runJobs(
  input: JobsInput,
  jobs: readonly DownloadJob[],
): Promise<readonly RunSummary[]> {
  if (jobs.length === 0) return [];
  const conversions = new Map<string, Conversions>();
  const held = { tellings: [] as (() => void)[] | undefined };
  const shared = openShared(input, jobs.length, conversions, (tell) => {
    if (held.tellings) held.tellings.push(tell);
    else tell();
  });
  const leave = onAbort(shared.stopped, () => input.manifest.hurry());
  const runs = jobs.map((job) => new JobRun(shared, job));
  // Each count is taken before the run changes what it counts; the first requests don't wait for a large one.
  const counted = Promise.all(runs.map((run) => run.count()));
  const planTold = counted.then(async (totals) => {
    if (!totals.every((total) => total !== undefined)) return;
    const plans = jobs.map(({ options }, i) => ({ options, totals: totals[i] }));
    if (!input.isPart) await tellPlan(input, plans);
    const tellings = held.tellings ?? [];
    held.tellings = undefined;
    for (const tell of tellings) tell();
  });
  try {
    if (input.readOnly) {
      await planTold;
      if ((await counted).some((totals) => (totals?.volume.files ?? 0) > 0)) throw input.readOnly;
    }
    // Whoever may be asked has nothing begun before the answer.
    if (input.askForSpace && !(await hasAmpleSpace(input.destination, jobs))) await planTold;
    const feeds = runs.map((run) => run.feed(planTold));
    // What is urgent in any of them, and then the rest.
    for (const feed of feeds) await feed.next();
    for (const feed of feeds) await feed.next();
    await shared.pool.idle();
  } finally {
    await Promise.all([...conversions.values()].map((one) => one.close())).finally(leave);
  }
  return runs.map((run) => run.summary());
}
