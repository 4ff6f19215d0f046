import type { ChainableCommander } from 'ioredis';
import { yieldToEventLoop } from '../base/wait.js';
import type { DownloadPlan } from '../download/plan/create-download-plan.js';
import { FILES_BEFORE_YIELD } from '../download/plan/report-plan.js';
import type { ExchangeRecord } from '../service/records/fetch-records.js';
import type { Destination } from '../store/destination.js';
import { markDestination } from './folder-pool.js';
import { markQueue, type OpenQueue } from './open-queue.js';
import { ENDED_SETS, renewPlan } from './plan-seal.js';
import {
  createJobId,
  createSeriesReader,
  type SliceJob,
  toSharedSliceData,
  toSliceDays,
} from './slice-job.js';
import { type PendingSlice, Slicer } from './split-into-slices.js';

export interface EnqueueInput {
  readonly open: OpenQueue;
  readonly plan: Pick<DownloadPlan, 'selection' | 'options' | 'filesInPathOrder'>;
  /** Requested days; the end is infinite if none was set. */
  readonly range: { readonly from: number; readonly to: number };
  /** The record from which the plan was created. */
  readonly record: ExchangeRecord;
  readonly destination: Destination;
  /** Days of a slice; undefined for a month. */
  readonly sliceDays: number | undefined;
  /** Slices that all workers together process at once; undefined for the current setting, or the default. */
  readonly maxSlices: number | undefined;
  readonly signal: AbortSignal;
}

export interface EnqueueSummary {
  /** Slices with files to download or convert. */
  readonly slices: number;
  /** Slices added to the queue: new ones, and ended ones that have work again. */
  readonly added: number;
  /** Slices that were waiting or active already. */
  readonly present: number;
  /** Day files left out because the API key does not cover them. */
  readonly unauthorized: number;
  /** Day files that are not exported yet, or never were. */
  readonly missing: number;
}

/** Default number of active slices. A large fleet with 20 connections per worker must be requested explicitly. */
const MAX_SLICES = 20;
const SLICES_PER_CALL = 1000;
const JOB_OPTIONS = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 10_000 },
  /** Completed slices are removed from the queue after this many seconds. */
  removeOnComplete: { age: 7 * 86_400 },
};

/**
 * Adds the work of a plan to the queue, newest days first. Files that exist in the destination and slices that are in
 * the queue are left out.
 * @throws errors of Redis and of the destination; the reason of an abort.
 */
export async function enqueuePlan(input: EnqueueInput): Promise<EnqueueSummary> {
  const { open, plan, record, destination, maxSlices, signal } = input;
  const current = await open.queue.getGlobalConcurrency();
  const slicesAtOnce = maxSlices ?? current ?? MAX_SLICES;
  if (slicesAtOnce !== current) await open.queue.setGlobalConcurrency(slicesAtOnce);
  const { pendingSlices, unauthorized, missing } = await findWork(input);
  if (pendingSlices.length === 0) return { slices: 0, added: 0, present: 0, unauthorized, missing };
  await markDestination(destination, signal);
  await markQueue(open);
  const readSeries = createSeriesReader(record);
  const shared = toSharedSliceData(plan, destination);
  let added = 0;
  // The next jobs are prepared while the queue adds the previous ones.
  let adding: Promise<unknown> = Promise.resolve();
  for (let start = 0; start < pendingSlices.length; start += SLICES_PER_CALL) {
    signal.throwIfAborted();
    const jobs = pendingSlices.slice(start, start + SLICES_PER_CALL).map(
      ({ slice, unauthorized: unauthorizedFiles }): SliceJob => ({
        ...slice,
        ...readSeries(slice),
        ...shared,
        ...toSliceDays(plan.selection, slice),
        ...(unauthorizedFiles > 0 && { unauthorized: unauthorizedFiles }),
      }),
    );
    const newJobs = await removeEndedJobs(open, jobs);
    const previous = adding;
    adding = open.queue.addBulk(
      newJobs.map(({ id, data }) => ({ name: 'slice', data, opts: { ...JOB_OPTIONS, jobId: id } })),
    );
    // Ignored here: the await below throws the same error.
    adding.catch(() => {});
    await previous;
    added += newJobs.length;
  }
  await adding;
  return {
    slices: pendingSlices.length,
    added,
    present: pendingSlices.length - added,
    unauthorized,
    missing,
  };
}

interface PendingWork extends Pick<EnqueueSummary, 'unauthorized' | 'missing'> {
  readonly pendingSlices: readonly PendingSlice[];
}

async function findWork({ plan, range, sliceDays, signal }: EnqueueInput): Promise<PendingWork> {
  const slicer = new Slicer(range, sliceDays);
  const pendingSlices: PendingSlice[] = [];
  let files = 0;
  let unauthorized = 0;
  let missing = 0;
  for (const file of plan.filesInPathOrder()) {
    if (file.status === 'unauthorized') unauthorized++;
    if (file.status === 'pending' || file.status === 'unavailable') missing++;
    const slice = slicer.add(file);
    if (slice) pendingSlices.push(slice);
    if (++files % FILES_BEFORE_YIELD > 0) continue;
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
  const last = slicer.end();
  if (last) pendingSlices.push(last);
  pendingSlices.sort(({ slice: a }, { slice: b }) => (a.from > b.from ? -1 : a.from < b.from ? 1 : 0));
  return { pendingSlices, unauthorized, missing };
}

interface IdentifiedJob {
  readonly id: string;
  readonly data: SliceJob;
}

/**
 * Removes the ended jobs of these slices from the queue, and returns the jobs to add. Jobs that wait or are active get
 * the newer plan instead, which includes the days exported since.
 */
async function removeEndedJobs(
  open: OpenQueue,
  jobs: readonly SliceJob[],
): Promise<readonly IdentifiedJob[]> {
  const { queue, redis } = open;
  const all = jobs.map((data): IdentifiedJob => ({ id: createJobId(data), data }));
  const existsPipeline = redis.pipeline();
  for (const { id } of all) existsPipeline.exists(queue.toKey(id));
  const exists = await readReplies(existsPipeline);
  const known = all.filter((_, index) => exists[index] === 1);
  if (known.length === 0) return all;
  const scorePipeline = redis.pipeline();
  for (const { id } of known) for (const set of ENDED_SETS) scorePipeline.zscore(queue.toKey(set), id);
  const scores = await readReplies(scorePipeline);
  const hasEnded = (index: number): boolean =>
    ENDED_SETS.some((_, set) => scores[index * ENDED_SETS.length + set] !== null);
  const present = new Set(known.filter((_, index) => !hasEnded(index)));
  await Promise.all(
    known.map(async (job) => {
      if (present.has(job) && (await renewPlan(open, job.id, job.data))) return;
      present.delete(job);
      await queue.remove(job.id);
    }),
  );
  return all.filter((job) => !present.has(job));
}

async function readReplies(pipeline: ChainableCommander): Promise<readonly unknown[]> {
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}
