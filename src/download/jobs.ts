import { setMaxListeners } from 'node:events';
import type { EventSink, PlanCounts, RunSummary } from '../base/events.js';
import type { Client } from '../service/http/client.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { type Conversions, createConversions } from './conversion/conversions.js';
import { JobRun } from './job-run.js';
import { emptyCounts, type Plan } from './plan/plan.js';
import { autoConcurrency, type Concurrency, fixedConcurrency } from './pool/concurrency.js';
import { createPause, type Pause } from './pool/pause.js';
import { createPool, type Pool } from './pool/pool.js';
import { createRateLimit, type RateLimit } from './pool/rate.js';
import type { ConvertSetting, DownloadOptions } from './types.js';

/** One plan, and how its files are brought. */
export interface DownloadJob {
  /** Told with each file, where there are several jobs. */
  readonly name?: string | undefined;
  readonly plan: Pick<Plan, 'files'>;
  /** Paths of files, next in the plan after the probes, that go before the rest of all jobs. */
  readonly urgent?: ReadonlySet<string> | undefined;
  readonly options: DownloadOptions;
  readonly client: Client;
}

export interface JobsInput {
  readonly manifest: Manifest;
  /** Makes part names private to this run, when another run works in the same folder. */
  readonly partSuffix: string | undefined;
  /** The folder, and what bounds all jobs together. */
  readonly options: Pick<DownloadOptions, 'dir' | 'concurrency' | 'maxRate'>;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
  /** Once it is aborted no file is begun, and what is in flight goes on to its end. */
  readonly noMore?: AbortSignal | undefined;
}

/** What the jobs of one run share. */
export interface SharedRun extends JobsInput {
  readonly pool: Pool;
  readonly concurrency: Concurrency;
  readonly rate: RateLimit;
  readonly pause: Pause;
  /** Ends all jobs: an error that concerns every file. */
  readonly stop: AbortController;
  /** Aborted by the caller or by `stop`. */
  readonly stopped: AbortSignal;
  /** By path, the files that were begun: two jobs may name the same one. Undefined for a single job. */
  readonly begun: Map<string, Promise<unknown>> | undefined;
  conversionsFor(setting: ConvertSetting | undefined): Conversions | undefined;
  /** Does it once the plan has been told. */
  afterPlan(tell: () => void): void;
}

/**
 * Brings the files of several plans to disk through one pool, plan after plan. Failed files are told as events.
 * A job that fails doesn't stop the others, unless its error concerns every file.
 * @returns a summary for each job.
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
  const runs = jobs.map((job) => new JobRun(shared, job));
  // Each count is taken before the run changes what it counts; the first requests don't wait for a large one.
  const planTold = Promise.all(runs.map((run) => run.count())).then((counts) => {
    if (!counts.every((count) => count !== undefined)) return;
    input.emit({ event: 'plan', ...sumOf(counts) });
    const tellings = held.tellings ?? [];
    held.tellings = undefined;
    for (const tell of tellings) tell();
  });
  try {
    const feeds = runs.map((run) => run.feed(planTold));
    // What is urgent in any of them, and then the rest.
    for (const feed of feeds) await feed.next();
    for (const feed of feeds) await feed.next();
    await shared.pool.idle();
  } finally {
    await Promise.all([...conversions.values()].map((one) => one.close()));
  }
  return runs.map((run) => run.summary());
}

function openShared(
  input: JobsInput,
  jobs: number,
  conversions: Map<string, Conversions>,
  afterPlan: SharedRun['afterPlan'],
): SharedRun {
  const { options, signal, partSuffix } = input;
  const concurrency =
    options.concurrency === 'auto'
      ? autoConcurrency(performance.now())
      : fixedConcurrency(options.concurrency);
  const pool = createPool(concurrency);
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  // Each file in flight listens to it, and that is no leak.
  setMaxListeners(0, signal, stopped);
  const emit: EventSink = (event) => {
    input.emit(event);
    if (event.event === 'progress') pool.adjust();
  };
  return {
    ...input,
    emit,
    pool,
    concurrency,
    rate: createRateLimit(options.maxRate),
    pause: createPause(),
    stop,
    stopped,
    begun: jobs > 1 ? new Map() : undefined,
    conversionsFor(setting) {
      if (!setting) return undefined;
      const key = JSON.stringify(setting);
      const known = conversions.get(key) ?? createConversions(setting, options.dir, partSuffix, emit);
      conversions.set(key, known);
      return known;
    },
    afterPlan,
  };
}

function sumOf(counts: readonly PlanCounts[]): PlanCounts {
  const sum = emptyCounts();
  for (const count of counts) {
    for (const key of Object.keys(sum) as (keyof PlanCounts)[]) sum[key] += count[key];
  }
  return sum;
}
