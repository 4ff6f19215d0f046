import { TickhaulError, usageError } from '../base/errors.js';
import { createDownloadPlan, type DownloadPlan } from '../download/plan/create-download-plan.js';
import { selectionScope } from '../download/plan/plan-prefixes.js';
import { findUnavailability } from '../download/plan/select-series.js';
import type { DownloadJob } from '../download/shared-run.js';
import type { KeyProblem } from '../events/exit-reasons.js';
import { flagsToSettingsInMessage } from '../options/setting-names.js';
import type { CanRequest } from '../service/key-coverage.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Manifest, ManifestScope } from '../store/manifest/manifest.js';
import type { JobWithPlan } from './assert-no-contradictions.js';
import type { RecordOrError } from './exchange-records.js';
import { createFailureMemory, type FailureMemory, moveFailedFirst } from './failure-memory.js';
import { compareSymbols, listJobSymbols, type SymbolChanges } from './symbol-changes.js';
import type { SyncInput, SyncJob } from './sync-options.js';
import type { JobState } from './sync-state.js';

/** A job planned with the exchange's record and the state of its last run. */
export interface OpenSyncJob extends JobWithPlan {
  /** Undefined if there is no record to plan with. */
  readonly downloadJob: DownloadJob | undefined;
  readonly error: TickhaulError | undefined;
  readonly failures: FailureMemory;
  readonly symbolChanges: SymbolChanges;
  /** The new state of the job's symbols. */
  readonly symbols: Omit<JobState, 'failed'>;
}

/** What every job is planned with. */
export interface PlanSources {
  readonly records: ReadonlyMap<string, RecordOrError>;
  readonly manifest: Manifest;
  readonly canRequest: CanRequest;
  readonly keyProblem: KeyProblem | undefined;
}

const NO_SYMBOL_CHANGES: SymbolChanges = { newSymbols: [], delistedSymbols: [] };

/** @throws usage error for a selection that does not match the exchange's record, with the job's location. */
export async function openSyncJob(
  job: SyncJob,
  { client, destination, emit, signal }: SyncInput,
  { records, manifest, canRequest, keyProblem }: PlanSources,
  previous: JobState | undefined,
): Promise<OpenSyncJob> {
  const { name, selection } = job;
  const failures = createFailureMemory(previous?.failed ?? []);
  const record = records.get(selection.exchange);
  if (!record || record instanceof TickhaulError) {
    const error = record ?? new TickhaulError('unreachable', `${selection.exchange}: no record received`);
    if (error.code === 'usage') throw addJobContext(job, error);
    const symbols = previous ?? { selection: '', symbols: [] };
    return {
      job,
      plan: undefined,
      downloadJob: undefined,
      error,
      failures,
      symbolChanges: NO_SYMBOL_CHANGES,
      symbols,
    };
  }
  const plan = await runForJob(job, async () => {
    const plan = await createDownloadPlan({
      selection,
      record,
      manifest,
      destination,
      options: { ...job.options, repeatsEmpty: true },
      warn: (message) => emit({ event: 'warning', message }),
      mayRead: canRequest,
      signal,
    });
    await checkJobExport(job, plan);
    return plan;
  });
  // The last days of a symbol that has ended are no failure of a nightly run, and days in the future are pending.
  const error = selection.last === undefined ? findUnavailability(plan, record) : undefined;
  if (error?.code === 'usage') throw addJobContext(job, error);
  const symbols = listJobSymbols(plan);
  return {
    job,
    plan,
    downloadJob:
      error === undefined
        ? {
            name,
            plan: moveFailedFirst(plan, failures.previous),
            urgent: failures.previous,
            client: withStallTimeout(client, job),
            keyProblem,
            isUnaudited: !job.audit,
          }
        : undefined,
    error,
    failures,
    symbolChanges: compareSymbols(previous, symbols),
    symbols,
  };
}

/** @throws usage error for settings of the job's export that contradict its selection. */
async function checkJobExport({ export: setting }: SyncJob, plan: DownloadPlan): Promise<void> {
  if (!setting) return;
  const { checkExport, listStartDays } = await import('../export/export-targets.js');
  await checkExport(setting, listStartDays(plan));
}

/**
 * The parts of the manifest that the jobs need.
 * @throws usage error for contradicting or missing days, with the job's location.
 */
export async function listJobScopes(
  jobs: readonly SyncJob[],
  records: PlanSources['records'],
): Promise<readonly ManifestScope[]> {
  const scopes: ManifestScope[] = [];
  for (const job of jobs) {
    const record = records.get(job.selection.exchange);
    if (!record || record instanceof TickhaulError) continue;
    scopes.push(await runForJob(job, async () => selectionScope(job.selection, record)));
  }
  return scopes;
}

/** Adds the job's name and location to usage errors. */
async function runForJob<T>(job: SyncJob, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TickhaulError && error.code === 'usage' ? addJobContext(job, error) : error;
  }
}

function addJobContext({ where, name }: SyncJob, { message }: TickhaulError): TickhaulError {
  return usageError(`${where}: job "${name}": ${flagsToSettingsInMessage(message)}`);
}

function withStallTimeout(client: ServiceClient, { stallTimeoutMs }: SyncJob): ServiceClient {
  return { ...client, config: { ...client.config, stallTimeoutMs } };
}
