import type { TickhaulError } from '../base/errors.js';
import { fetchKeyReach } from '../service/key/key-coverage.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { newsLines } from './news.js';
import { type OpenJob, openJob, scopesOf } from './open-job.js';
import { readRecords } from './records.js';
import { refuseContradictions } from './same-files.js';
import { readSyncState, type SyncState } from './state.js';
import type { SyncInput } from './types.js';

/** All jobs of a sync, planned; nothing is written yet. */
export interface OpenJobs {
  /** What the last run left. */
  readonly state: SyncState;
  readonly jobs: readonly OpenJob[];
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
  const { records, late } = await readRecords(input, noMore);
  const { mayRead, keyExpired } = await fetchKeyReach(input.client, signal, warn);
  const manifest = await destination.openManifest({ warn, signal }, await scopesOf(input.jobs, records));
  try {
    const plans = { records, manifest, mayRead };
    const jobs: OpenJob[] = [];
    for (const job of input.jobs) jobs.push(await openJob(job, input, plans, state[job.name]));
    refuseContradictions(jobs);
    for (const { job, news, plan } of jobs) {
      for (const message of plan?.warnings ?? []) warn(`${job.name}: ${message}`);
      for (const message of newsLines(job.name, news)) emit({ event: 'note', message });
    }
    return { state, jobs, late, manifest, keyExpired };
  } catch (error) {
    await manifest.close();
    throw error;
  }
}
