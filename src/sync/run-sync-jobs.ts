import { TickhaulError } from '../base/errors.js';
import { toFileError } from '../base/file-error.js';
import { secondsSince } from '../base/units.js';
import { runDownloadJobs } from '../download/run-download-jobs.js';
import type { JobSummary, RunSummary } from '../run/run-events.js';
import type { RunMembership } from '../store/destination.js';
import { createWaitNote, noteOfOther } from '../store/lock/acquire-run-lock.js';
import { placeOrReadOnly, type RunPlace } from '../store/lock/read-only.js';
import { openJobs } from './open-jobs.js';
import type { OpenSyncJob } from './open-sync-job.js';
import { startRunDeadline } from './run-deadline.js';
import type { SyncInput } from './sync-options.js';
import { type SyncState, writeSyncState } from './sync-state.js';
import { createSyncSummary } from './sync-summary.js';

/**
 * Brings all jobs up to date: reads each exchange's record once, plans the jobs together, downloads what the
 * manifest lacks through one pool. What failed is told as events and in the summary, and tried first next time.
 * @throws TickhaulError for what keeps the run from beginning: a job that the record doesn't know, the lock, the disk.
 */
export async function runSyncJobs(input: SyncInput): Promise<RunSummary> {
  const started = performance.now();
  const { release, lost, other, ...place } = await placeOrReadOnly(input.destination, () =>
    joinOrLock(input),
  );
  noteOfOther(input.emit, input.destination.name, other);
  const deadline = startRunDeadline(input.maxDurationMs);
  try {
    const signal = lost ? AbortSignal.any([input.signal, lost]) : input.signal;
    return await syncLocked({ ...input, signal }, deadline.signal, started, place);
  } finally {
    deadline.clear();
    await release();
  }
}

/** One run a folder; shards work side by side, as downloads do (contract, Beyond one machine). */
async function joinOrLock({
  destination,
  options: { shard },
  owner,
  lockTimeoutMs: timeoutMs,
  emit,
  signal,
}: SyncInput): Promise<RunMembership> {
  const waiting = { timeoutMs, onWait: createWaitNote(emit), signal };
  if (shard) return destination.joinRun(owner, waiting);
  return { partSuffix: undefined, ...(await destination.takeLock(owner, waiting)) };
}

async function syncLocked(
  input: SyncInput,
  noMore: AbortSignal,
  started: number,
  place: Pick<RunPlace, 'partSuffix' | 'readOnly'>,
): Promise<RunSummary> {
  const { destination, options, emit, signal } = input;
  const { state, jobs, late, manifest, keyExpired } = await openJobs(input, noMore);
  try {
    const failures = new Map(jobs.map(({ job, failures }) => [job.name, failures]));
    const ready = jobs.flatMap(({ downloadJob }) => downloadJob ?? []);
    const summaries = await runDownloadJobs(
      {
        destination,
        manifest,
        ...place,
        options,
        signal,
        stopStarting: noMore,
        askForSpace: input.askForSpace,
        emit(event) {
          if (event.event === 'file' && event.job !== undefined) failures.get(event.job)?.record(event);
          emit(event);
        },
      },
      ready,
    );
    const byName = new Map(ready.map(({ name }, index) => [name, summaries[index]]));
    const told = jobs.map((open) => createJobSummary(open, byName.get(open.job.name)));
    if (!place.readOnly) await saveState(input, { ...state, ...createJobStates(jobs, told) }, told);
    return { ...createSyncSummary(told, late, secondsSince(started)), ...(keyExpired && { keyExpired }) };
  } finally {
    await manifest.close();
  }
}

/** What keeps an ended run from leaving its state is no news then: it has ended for a reason of its own. */
async function saveState(
  { destination, options, signal }: SyncInput,
  state: SyncState,
  told: readonly JobSummary[],
): Promise<void> {
  if (told.some(({ error }) => error?.code === 'store_down')) return;
  try {
    await writeSyncState(destination, state, options.shard, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** @param summary what came of the job; undefined if it has no plan. */
export function createJobSummary({ job, symbolChanges, error }: OpenSyncJob, summary: RunSummary | undefined): JobSummary {
  const { name } = job;
  if (summary) return { name, ...summary, ...symbolChanges };
  const { exitCode } = error ?? new TickhaulError('unreachable', '');
  const nothing = { counts: {}, unfinished: 0, bytes: 0, seconds: 0 };
  return { name, exitCode, ...nothing, ...(error && { error: toFileError(error) }), ...symbolChanges };
}

function createJobStates(jobs: readonly OpenSyncJob[], told: readonly JobSummary[]): SyncState {
  return Object.fromEntries(
    jobs.map(({ job, symbols, failures }, index) => {
      const { error, unfinished } = told[index] ?? {};
      const isWhole = error === undefined && unfinished === 0;
      return [job.name, { ...symbols, failed: [...failures.listFailed(isWhole)] }];
    }),
  );
}
