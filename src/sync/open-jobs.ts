import type { TickhaulError } from '../base/errors.js';
import { fetchKeyCoverage } from '../service/key/key-coverage.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { assertNoContradictions } from './assert-no-contradictions.js';
import { fetchExchangeRecords } from './exchange-records.js';
import { listJobScopes, type OpenSyncJob, openSyncJob } from './open-sync-job.js';
import { formatSymbolChanges } from './symbol-changes.js';
import type { SyncInput } from './sync-options.js';
import { readSyncState, type SyncState } from './sync-state.js';

/** All jobs of a sync, planned; nothing is written yet. */
export interface OpenJobs {
  /** What the last run left. */
  readonly state: SyncState;
  readonly jobs: readonly OpenSyncJob[];
  /** Why the export that was waited for didn't come. */
  readonly late: TickhaulError | undefined;
  /** To be closed. */
  readonly manifest: Manifest;
  readonly keyExpired: boolean;
}

/**
 * Reads each exchange's record once, and plans the jobs.
 * @param noMore ends the wait for the export.
 * @throws TickhaulError for a job that the record doesn't know, and for jobs that contradict each other.
 */
export async function openJobs(input: SyncInput, noMore: AbortSignal): Promise<OpenJobs> {
  const { destination, options, emit, signal } = input;
  const warn = (message: string): void => emit({ event: 'warning', message });
  const state = await readSyncState(destination, options.shard, signal);
  const { records, late } = await fetchExchangeRecords(input, noMore);
  const { canRequest, keyExpired } = await fetchKeyCoverage(input.client, signal, warn);
  const manifest = await destination.openManifest({ warn, signal }, await listJobScopes(input.jobs, records));
  try {
    const plans = { records, manifest, mayRead: canRequest };
    const jobs: OpenSyncJob[] = [];
    for (const job of input.jobs) jobs.push(await openSyncJob(job, input, plans, state[job.name]));
    assertNoContradictions(jobs);
    for (const { job, symbolChanges, plan } of jobs) {
      for (const message of plan?.warnings ?? []) warn(`${job.name}: ${message}`);
      for (const message of formatSymbolChanges(job.name, symbolChanges)) emit({ event: 'note', message });
    }
    return { state, jobs, late, manifest, keyExpired };
  } catch (error) {
    await manifest.close();
    throw error;
  }
}
