import * as z from 'zod';
import { TickhaulError, usageError } from '../base/errors.js';
import { plural } from '../base/units.js';
import type { Shard } from '../day-files/shard.js';
import type { PlannedFile } from '../download/download-options.js';
import { createDownloadPlan, type DownloadPlan } from '../download/plan/create-download-plan.js';
import { selectionScope } from '../download/plan/plan-prefixes.js';
import { findUnavailability } from '../download/plan/select-series.js';
import type { DownloadJob } from '../download/shared-run.js';
import type { FileEvent } from '../events/run-events.js';
import type { KeyProblem } from '../events/run-tally.js';
import { flagsToSettingsInMessage } from '../options/setting-names.js';
import { type CanRequest, fetchKeyCoverage } from '../service/key-coverage.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Destination } from '../store/destination.js';
import type { Manifest, ManifestScope } from '../store/manifest/manifest.js';
import { assertNoContradictions, type JobWithPlan } from './assert-no-contradictions.js';
import { fetchExchangeRecords, type RecordOrError } from './exchange-records.js';
import type { SyncInput, SyncJob } from './sync-options.js';

/** All jobs of a sync with their plans. Nothing is written yet. */
interface OpenJobs {
  /** State of the last run. */
  readonly state: SyncState;
  readonly jobs: readonly OpenSyncJob[];
  /** The error if an awaited day was not exported in time. */
  readonly late: TickhaulError | undefined;
  /** The caller closes it. */
  readonly manifest: Manifest;
  readonly keyProblem: KeyProblem | undefined;
}

/**
 * Fetches each exchange's record once, and plans the jobs.
 * @param stopStarting ends the wait for the export.
 * @throws TickhaulError for a job that does not match the record, and for jobs that contradict each other.
 */
export async function openJobs(input: SyncInput, stopStarting: AbortSignal): Promise<OpenJobs> {
  const { destination, options, emit, signal } = input;
  const warn = (message: string): void => emit({ event: 'warning', message });
  const state = await readSyncState(destination, options.shard, signal);
  const { records, late } = await fetchExchangeRecords(input, stopStarting);
  const { canRequest, keyProblem } = await fetchKeyCoverage(input.client, signal, warn);
  const manifest = await destination.openManifest({ warn, signal }, await listJobScopes(input.jobs, records));
  try {
    const plans = { records, manifest, canRequest, keyProblem };
    const jobs: OpenSyncJob[] = [];
    for (const job of input.jobs) jobs.push(await openSyncJob(job, input, plans, state[job.name]));
    assertNoContradictions(jobs);
    for (const { job, symbolChanges, plan } of jobs) {
      for (const message of plan?.warnings ?? []) warn(`${job.name}: ${message}`);
      for (const message of formatSymbolChanges(job.name, symbolChanges)) emit({ event: 'note', message });
    }
    return { state, jobs, late, manifest, keyProblem };
  } catch (error) {
    await manifest.close();
    throw error;
  }
}

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
interface PlanSources {
  readonly records: ReadonlyMap<string, RecordOrError>;
  readonly manifest: Manifest;
  readonly canRequest: CanRequest;
  readonly keyProblem: KeyProblem | undefined;
}

const NO_SYMBOL_CHANGES: SymbolChanges = { newSymbols: [], delistedSymbols: [] };

/** @throws usage error for a selection that does not match the exchange's record, with the job's location. */
async function openSyncJob(
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
  const { checkExport, listStartDays } = await import('../export/export-files.js');
  await checkExport(setting, listStartDays(plan));
}

/**
 * The parts of the manifest that the jobs need.
 * @throws usage error for contradicting or missing days, with the job's location.
 */
async function listJobScopes(
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

/** A plan that yields these files first, after the two that show whether the key has access. */
function moveFailedFirst(plan: DownloadPlan, failed: ReadonlySet<string>): DownloadPlan {
  return failed.size === 0 ? plan : { ...plan, files: () => yieldFailedFirst(plan, failed) };
}

function* yieldFailedFirst(plan: DownloadPlan, failed: ReadonlySet<string>): Generator<PlannedFile> {
  const probes = new Set<string>();
  for (const file of plan.files()) {
    if (probes.size === 2) break;
    probes.add(file.path);
    yield file;
  }
  for (const isFailedPass of [true, false]) {
    for (const file of plan.files()) {
      if (failed.has(file.path) === isFailedPass && !probes.has(file.path)) yield file;
    }
  }
}

/** Collects the files of a job that failed in this run or a previous one. */
interface FailureMemory {
  readonly previous: ReadonlySet<string>;
  record(event: FileEvent): void;
  /** Failed files for the next run; `isComplete` if this run processed all files. */
  listFailed(isComplete: boolean): readonly string[];
}

/** With more failures the service is down, and retrying them first has no benefit. */
const MAX_FAILED_FILES = 10_000;

function createFailureMemory(previous: readonly string[]): FailureMemory {
  const unresolved = new Set(previous);
  const failedNow = new Set<string>();
  return {
    previous: new Set(previous),
    record({ status, path }) {
      if (unresolved.size > 0) unresolved.delete(path);
      if (status === 'failed') failedNow.add(path);
    },
    listFailed: (isComplete) => [...failedNow, ...(isComplete ? [] : unresolved)].slice(0, MAX_FAILED_FILES),
  };
}

/** What changed among a job's symbols since its last run. */
interface SymbolChanges {
  readonly newSymbols: readonly string[];
  readonly delistedSymbols: readonly string[];
}

/** The job's symbols, for comparison by the next run. */
function listJobSymbols({ selection, listed }: DownloadPlan): Omit<JobState, 'failed'> {
  const { exchange, types, symbols, symbolTypes } = selection;
  return { selection: JSON.stringify({ exchange, types, symbols, symbolTypes }), symbols: [...listed] };
}

/** No changes are reported in the first run, nor after the selection was edited. */
function compareSymbols(previous: JobState | undefined, current: Omit<JobState, 'failed'>): SymbolChanges {
  if (previous?.selection !== current.selection) return { newSymbols: [], delistedSymbols: [] };
  const known = new Set(previous.symbols);
  const listed = new Set(current.symbols);
  return {
    newSymbols: current.symbols.filter((symbol) => !known.has(symbol)),
    delistedSymbols: previous.symbols.filter((symbol) => !listed.has(symbol)),
  };
}

/** One line for new symbols and one for delisted symbols. */
function formatSymbolChanges(job: string, { newSymbols, delistedSymbols }: SymbolChanges): readonly string[] {
  return [
    ...(newSymbols.length > 0
      ? [`${job}: ${plural(newSymbols.length, 'new symbol')}: ${formatNames(newSymbols)}`]
      : []),
    ...(delistedSymbols.length > 0
      ? [`${job}: ${plural(delistedSymbols.length, 'symbol')} delisted: ${formatNames(delistedSymbols)}`]
      : []),
  ];
}

const MAX_NAMES = 10;

function formatNames(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? `${named} and ${names.length - MAX_NAMES} more` : named;
}

const jobState = z.object({
  /** The selection that `symbols` resulted from. */
  selection: z.string(),
  /** Listed symbols that the selection matched. */
  symbols: z.array(z.string()),
  /** Paths of failed files, to be tried first. */
  failed: z.array(z.string()),
});

const syncState = z.object({ jobs: z.record(z.string(), jobState) });

/** State saved by a job's last run for the next one. */
type JobState = Readonly<z.infer<typeof jobState>>;
export type SyncState = Readonly<Record<string, JobState>>;

/** The state of the last run (`docs/spec/manifest.md#sync-state`), by job name; empty if it is missing or damaged. */
async function readSyncState(
  destination: Destination,
  shard: Shard | undefined,
  signal: AbortSignal,
): Promise<SyncState> {
  try {
    const text = await destination.readState(stateName(shard), signal);
    return syncState.parse(JSON.parse(text ?? '')).jobs;
  } catch (error) {
    // An unreachable store is an error; an unreadable state counts as none.
    if (error instanceof TickhaulError && error.code !== 'disk') throw error;
    return {};
  }
}

/** @throws TickhaulError `disk`. */
export async function writeSyncState(
  destination: Destination,
  jobs: SyncState,
  shard: Shard | undefined,
  signal: AbortSignal,
): Promise<void> {
  await destination.writeState(stateName(shard), `${JSON.stringify({ jobs })}\n`, signal);
}

/** Shards run in parallel, each with its own state. */
function stateName(shard: Shard | undefined): string {
  return shard ? `sync.${shard.index}-of-${shard.count}.json` : 'sync.json';
}
