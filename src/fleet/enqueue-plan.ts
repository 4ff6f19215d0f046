import type { ChainableCommander } from 'ioredis';
import { yieldToEventLoop } from '../base/wait.js';
import type { DownloadOptions } from '../download/download-options.js';
import type { PinnedPlan } from '../download/lists/pinned-plan.js';
import { type DownloadPlan, FILES_BEFORE_YIELD } from '../download/plan/create-download-plan.js';
import type { Destination } from '../store/destination.js';
import type { OpenQueue } from './open-queue.js';
import { ENDED_SETS, renewPlan } from './plan-seal.js';
import { getOrCreateMark, recordPinDestination, removeUnusedPins } from './remove-unused-pins.js';
import { createJobId, type SliceJob, toSliceDestination, toSliceOptions } from './slice-job.js';
import { type PendingSlice, Slicer } from './split-into-slices.js';
import { writePin } from './stored-pins.js';

export interface EnqueueInput {
  readonly open: OpenQueue;
  readonly plan: Pick<DownloadPlan, 'filesInPathOrder'>;
  /** Days that were asked for; the end is infinite where none was. */
  readonly range: { readonly from: number; readonly to: number };
  /** What the plan was worked out of. */
  readonly pin: PinnedPlan;
  readonly destination: Destination;
  readonly options: DownloadOptions;
  /** Days of a slice; undefined for a month. */
  readonly sliceDays: number | undefined;
  /** Slices that all workers together take at once; undefined for what was said before, or the default. */
  readonly maxSlices: number | undefined;
  readonly signal: AbortSignal;
}

export interface EnqueueSummary {
  /** Slices in which there is work. */
  readonly slices: number;
  /** Those that are in the queue now and weren't, or had ended and have work again. */
  readonly added: number;
  /** Those that wait or are worked on already. */
  readonly present: number;
  /** Day files that no worker will ask for, as the key doesn't cover them. */
  readonly unauthorized: number;
  /** Day files that are not exported yet, or were never. */
  readonly missing: number;
}

/** A thousand workers of 20 connections each are nobody's wish: more is asked for on purpose. */
const MAX_SLICES = 20;
const SLICES_PER_CALL = 1000;
const JOB_OPTIONS = {
  attempts: 3,
  backoff: { type: 'exponential', delay: 10_000 },
  /** Slices that ended well are told of for so many seconds. */
  removeOnComplete: { age: 7 * 86_400 },
};

/**
 * Puts the work of a plan into the queue, newest days first. What is there already, in the folder or in the queue, is
 * left out. The plan goes into the folder before the first slice goes into the queue.
 * @throws TickhaulError `disk`; the reason of an abort.
 */
export async function enqueuePlan(input: EnqueueInput): Promise<EnqueueSummary> {
  const { open, pin, destination, options, maxSlices, signal } = input;
  const known = await open.queue.getGlobalConcurrency();
  const most = maxSlices ?? known ?? MAX_SLICES;
  if (most !== known) await open.queue.setGlobalConcurrency(most);
  const { found, unauthorized, missing } = await findWork(input);
  if (found.length === 0) return { slices: 0, added: 0, present: 0, unauthorized, missing };
  const { weekdays, layout } = pin.selection;
  const mark = await getOrCreateMark(open);
  const shared = {
    pin: await writePin(
      destination,
      pin,
      mark,
      (name) => recordPinDestination(open, destination.name, name),
      signal,
    ),
    ...toSliceDestination(destination),
    options: toSliceOptions(options),
    layout: String(layout),
    ...(weekdays && { weekdays }),
  };
  let added = 0;
  // While the queue adds some, the next are made ready.
  let adding: Promise<unknown> = Promise.resolve();
  for (let at = 0; at < found.length; at += SLICES_PER_CALL) {
    signal.throwIfAborted();
    const jobs = found.slice(at, at + SLICES_PER_CALL).map(
      ({ slice, unauthorized: left }): SliceJob => ({
        ...slice,
        ...shared,
        ...(left > 0 && { unauthorized: left }),
      }),
    );
    const fresh = await removeEndedJobs(open, jobs);
    const before = adding;
    adding = open.queue.addBulk(
      fresh.map(({ id, data }) => ({ name: 'slice', data, opts: { ...JOB_OPTIONS, jobId: id } })),
    );
    // A failure is told where it is waited for.
    adding.catch(() => {});
    await before;
    added += fresh.length;
  }
  await adding;
  // What is left lying does no harm, and the next one tries again.
  await removeUnusedPins(open, destination, signal).catch(() => {});
  return { slices: found.length, added, present: found.length - added, unauthorized, missing };
}

interface PendingWork extends Pick<EnqueueSummary, 'unauthorized' | 'missing'> {
  readonly found: readonly PendingSlice[];
}

async function findWork({ plan, range, sliceDays, signal }: EnqueueInput): Promise<PendingWork> {
  const slicer = new Slicer(range, sliceDays);
  const found: PendingSlice[] = [];
  let files = 0;
  let unauthorized = 0;
  let missing = 0;
  for (const file of plan.filesInPathOrder()) {
    if (file.status === 'unauthorized') unauthorized++;
    if (file.status === 'pending' || file.status === 'unavailable') missing++;
    const slice = slicer.add(file);
    if (slice) found.push(slice);
    if (++files % FILES_BEFORE_YIELD > 0) continue;
    await yieldToEventLoop();
    signal.throwIfAborted();
  }
  const last = slicer.end();
  if (last) found.push(last);
  found.sort(({ slice: a }, { slice: b }) => (a.from > b.from ? -1 : a.from < b.from ? 1 : 0));
  return { found, unauthorized, missing };
}

interface IdentifiedJob {
  readonly id: string;
  readonly data: SliceJob;
}

/**
 * Those that neither wait nor are worked on. Those that do are worked on by the newer plan, which knows the days that were
 * exported since.
 */
async function removeEndedJobs(open: OpenQueue, jobs: readonly SliceJob[]): Promise<readonly IdentifiedJob[]> {
  const { queue, redis } = open;
  const all = jobs.map((data): IdentifiedJob => ({ id: createJobId(data), data }));
  const asking = redis.pipeline();
  for (const { id } of all) asking.exists(queue.toKey(id));
  const exists = await readReplies(asking);
  const known = all.filter((_, index) => exists[index] === 1);
  if (known.length === 0) return all;
  const askingMore = redis.pipeline();
  for (const { id } of known) for (const set of ENDED_SETS) askingMore.zscore(queue.toKey(set), id);
  const scores = await readReplies(askingMore);
  const hasEnded = (index: number): boolean =>
    ENDED_SETS.some((_, at) => scores[index * ENDED_SETS.length + at] !== null);
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

async function readReplies(asking: ChainableCommander): Promise<readonly unknown[]> {
  const answers = (await asking.exec()) ?? [];
  return answers.map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}
