import type { TickhaulError } from '../base/errors.js';
import type { KeyProblem } from '../events/exit-reasons.js';
import { fetchKeyCoverage } from '../service/key-coverage.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { assertNoContradictions } from './assert-no-contradictions.js';
import { fetchExchangeRecords } from './exchange-records.js';
import { listJobScopes, type OpenSyncJob, openSyncJob } from './open-sync-job.js';
import { formatSymbolChanges } from './symbol-changes.js';
import type { SyncInput } from './sync-options.js';
import { readSyncState, type SyncState } from './sync-state.js';

/** All jobs of a sync with their plans. Nothing is written yet. */
export interface OpenJobs {
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
