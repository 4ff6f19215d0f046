import { TickhaulError, usageError } from '../base/errors.js';
import type { DownloadJob } from '../download/job.js';
import { makePlan } from '../download/plan/plan.js';
import { scopeOf } from '../download/plan/survey.js';
import type { Client } from '../service/http/client.js';
import type { MayRead } from '../service/key/key-coverage.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { ManifestScope } from '../store/manifest/scope.js';
import { createFailures, type Failures, failedFirst } from './failed-first.js';
import { type News, newsSince, symbolsOf } from './news.js';
import type { RecordOrError } from './records.js';
import type { JobOfPlan } from './same-files.js';
import type { JobState } from './state.js';
import type { SyncInput, SyncJob } from './types.js';

/** A job worked out against the record and what its last run left. */
export interface OpenJob extends JobOfPlan {
  /** Undefined where there is no record to plan by. */
  readonly ready: DownloadJob | undefined;
  readonly error: TickhaulError | undefined;
  readonly failures: Failures;
  readonly news: News;
  /** What of the state is known before the run. */
  readonly symbols: Omit<JobState, 'failed'>;
}

/** What every job is worked out against. */
export interface PlanSources {
  readonly records: ReadonlyMap<string, RecordOrError>;
  readonly manifest: Manifest;
  readonly mayRead: MayRead;
}

const NO_NEWS: News = { newSymbols: [], delistedSymbols: [] };

/** @throws usage error for what the exchange's record doesn't know, with the place that defines the job. */
export async function openJob(
  job: SyncJob,
  { client, destination, signal }: SyncInput,
  { records, manifest, mayRead }: PlanSources,
  before: JobState | undefined,
): Promise<OpenJob> {
  const { name, selection } = job;
  const failures = createFailures(before?.failed ?? []);
  const record = records.get(selection.exchange);
  if (!record || record instanceof TickhaulError) {
    const error = record ?? new TickhaulError('unreachable', `${selection.exchange}: no record came`);
    if (error.code === 'usage') throw inJob(job, error);
    const symbols = before ?? { selection: '', symbols: [] };
    return { job, plan: undefined, ready: undefined, error, failures, news: NO_NEWS, symbols };
  }
  const { existing, convert, shard } = job.options;
  const plan = await ofJob(job, () =>
    makePlan({ selection, record, manifest, destination, existing, convert, shard, mayRead, signal }),
  );
  const symbols = symbolsOf(job, plan);
  return {
    job,
    plan,
    ready: {
      name,
      plan: failedFirst(plan, failures.before),
      urgent: failures.before,
      options: job.options,
      client: patientAs(client, job),
    },
    error: undefined,
    failures,
    news: newsSince(before, symbols),
    symbols,
  };
}

/**
 * The records that jobs are worked out against.
 * @throws usage error for contradicting or missing days, with the place that defines the job.
 */
export async function scopesOf(
  jobs: readonly SyncJob[],
  records: PlanSources['records'],
): Promise<readonly ManifestScope[]> {
  const scopes: ManifestScope[] = [];
  for (const job of jobs) {
    const record = records.get(job.selection.exchange);
    if (!record || record instanceof TickhaulError) continue;
    scopes.push(await ofJob(job, async () => scopeOf(job.selection, record)));
  }
  return scopes;
}

/** @throws usage error that says which job, and where it is defined. */
async function ofJob<T>(job: SyncJob, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TickhaulError && error.code === 'usage' ? inJob(job, error) : error;
  }
}

function inJob({ where, name }: SyncJob, { message }: TickhaulError): TickhaulError {
  return usageError(`${where}: job "${name}": ${message}`);
}

function patientAs(client: Client, { stallTimeoutMs }: SyncJob): Client {
  return { ...client, config: { ...client.config, stallTimeoutMs } };
}
