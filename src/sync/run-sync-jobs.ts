import { judgeError, TickhaulError, toFileError } from '../base/errors.js';
import { formatDuration, secondsSince } from '../base/units.js';
import { type Deadline, startDeadline as start } from '../base/wait.js';
import { runDownloadJobs } from '../download/run-download-jobs.js';
import type { JobSummary, RunSummary } from '../events/run-events.js';
import { type KeyProblem, mergeSummaries } from '../events/run-tally.js';
import { joinOrReadOnly, type RunAccess, type RunMembership } from '../store/destination.js';
import { createWaitNote, emitOtherRunNote } from '../store/lock/run-lock.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { type OpenSyncJob, openJobs, type SyncState, writeSyncState } from './open-jobs.js';
import type { SyncInput } from './sync-options.js';

/**
 * Runs all jobs: fetches each exchange's record once, plans the jobs together, and downloads the missing files
 * through one pool. Failures are reported as events and in the summary, and the next run tries them first.
 * @throws TickhaulError if the run cannot start: a job that does not match the record, the lock, the disk.
 */
export async function runSyncJobs(input: SyncInput): Promise<RunSummary> {
  const startMs = performance.now();
  const { release, lost, other, ...place } = await joinOrReadOnly(input.destination, () => joinOrLock(input));
  emitOtherRunNote(input.emit, input.destination.name, other);
  const deadline = startRunDeadline(input.maxDurationMs);
  try {
    const signal = lost ? AbortSignal.any([input.signal, lost]) : input.signal;
    return await syncLocked({ ...input, signal }, deadline.signal, startMs, place);
  } finally {
    deadline.clear();
    await release();
  }
}

/** One run per folder; shards run in parallel, as downloads do (`docs/spec/command-line.md#shards`). */
async function joinOrLock({
  destination,
  options: { shard },
  owner,
  lockTimeoutMs: timeoutMs,
  emit,
  signal,
}: SyncInput): Promise<RunMembership> {
  const lockOptions = { timeoutMs, onWait: createWaitNote(emit), signal };
  if (shard) return destination.joinRun(owner, lockOptions);
  return { partSuffix: undefined, ...(await destination.acquireLock(owner, lockOptions)) };
}

async function syncLocked(
  input: SyncInput,
  stopStarting: AbortSignal,
  startMs: number,
  place: Pick<RunAccess, 'partSuffix' | 'readOnly'>,
): Promise<RunSummary> {
  const { destination, options, emit, signal } = input;
  const { state, jobs, late, manifest, keyProblem } = await openJobs(input, stopStarting);
  try {
    const failures = new Map(jobs.map(({ job, failures }) => [job.name, failures]));
    const downloadJobs = jobs.flatMap(({ downloadJob }) => downloadJob ?? []);
    const summaries = await runDownloadJobs(
      {
        place: { destination, manifest, ...place },
        options,
        audits: input.audits,
        signal,
        stopStarting,
        askForSpace: input.askForSpace,
        emit(event) {
          if (event.event === 'file' && event.job !== undefined) failures.get(event.job)?.record(event);
          emit(event);
        },
      },
      downloadJobs,
    );
    const byName = new Map(downloadJobs.map(({ name }, index) => [name, summaries[index]]));
    const jobSummaries = jobs.map((openJob) => createJobSummary(openJob, byName.get(openJob.job.name)));
    if (!place.readOnly)
      await saveState(input, { ...state, ...createJobStates(jobs, jobSummaries) }, jobSummaries);
    return {
      ...createSyncSummary(jobSummaries, late, secondsSince(startMs)),
      ...(keyProblem === 'expired' && { keyExpired: true }),
    };
  } finally {
    await manifest.close();
  }
}

/** If the run ended early, an error of writing the state is ignored: the summary already says why. */
async function saveState(
  { destination, options, signal }: SyncInput,
  state: SyncState,
  jobSummaries: readonly JobSummary[],
): Promise<void> {
  const errors = jobSummaries.flatMap(({ error }) => error ?? []);
  // A request would fail again only after all its retries.
  if (errors.some(({ code }) => code === 'store_down')) return;
  try {
    await writeSyncState(destination, state, options.shard, signal);
  } catch (error) {
    if (!signal.aborted && !errors.some((reason) => judgeError(reason).endsRun)) throw error;
  }
}

/** @param summary the job's result; undefined if it has no plan. */
function createJobSummary(
  { job, symbolChanges, error }: OpenSyncJob,
  summary: RunSummary | undefined,
): JobSummary {
  const { name } = job;
  if (summary) return { name, ...summary, ...symbolChanges };
  const { exitCode } = error ?? new TickhaulError('unreachable', '');
  const nothing = { counts: {}, unfinished: 0, bytes: 0, seconds: 0 };
  return { name, exitCode, ...nothing, ...(error && { error: toFileError(error) }), ...symbolChanges };
}

function createJobStates(jobs: readonly OpenSyncJob[], jobSummaries: readonly JobSummary[]): SyncState {
  return Object.fromEntries(
    jobs.map(({ job, symbols, failures }, index) => {
      const { error, unfinished } = jobSummaries[index] ?? {};
      const isComplete = error === undefined && unfinished === 0;
      return [job.name, { ...symbols, failed: [...failures.listFailed(isComplete)] }];
    }),
  );
}

/** Starts the run's time limit; without `ms`, it never expires. @param ms milliseconds. */
function startRunDeadline(ms: number | undefined): Deadline {
  const over = `the --max-duration of ${formatDuration(ms ?? 0)} is over; the next run continues`;
  return start(ms, new TickhaulError('out_of_time', over));
}

/** A job with its plan. */
export interface PlannedJob {
  readonly name: string;
  readonly plan: NonNullable<OpenSyncJob['plan']>;
  readonly manifest: Manifest;
  readonly keyProblem: KeyProblem | undefined;
}

/**
 * Plans all jobs as a sync would, without a lock and without writing to the destination.
 * @param show reports the plan of one job, and resolves with its summary.
 * @throws TickhaulError as `sync`.
 */
export async function planJobs(
  input: SyncInput,
  show: (job: PlannedJob) => Promise<RunSummary>,
): Promise<RunSummary> {
  const startMs = performance.now();
  const { jobs, late, manifest, keyProblem } = await openJobs(input, input.signal);
  await manifest.close();
  const summaries: JobSummary[] = [];
  for (const openJob of jobs) {
    const { job, plan } = openJob;
    const summary = openJob.error
      ? undefined
      : plan && (await show({ name: job.name, plan, manifest, keyProblem }));
    summaries.push(createJobSummary(openJob, summary));
  }
  return {
    ...createSyncSummary(summaries, late, secondsSince(startMs)),
    ...(keyProblem === 'expired' && { keyExpired: true }),
  };
}

/** One summary of all jobs. @param late the error if an awaited day was not exported in time. */
export function createSyncSummary(
  jobs: readonly JobSummary[],
  late: TickhaulError | undefined,
  seconds: number,
): RunSummary {
  const merged = mergeSummaries(jobs, late?.exitCode);
  const error = merged.error ?? (late && toFileError(late));
  const reasons = jobs.flatMap(({ name, reasons: ofJob = [] }) =>
    ofJob.map((reason) => ({ ...reason, message: `${name}: ${reason.message}` })),
  );
  return {
    ...merged,
    seconds,
    ...(error && { error }),
    ...(reasons.length > 0 && { reasons }),
    jobs,
  };
}
