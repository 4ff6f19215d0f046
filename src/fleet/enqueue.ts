import { nextTurn } from '../base/wait.js';
import type { PinnedPlan } from '../download/lists/pin.js';
import { FILES_A_TURN, type Plan } from '../download/plan/plan.js';
import type { DownloadOptions, PlannedFile } from '../download/types.js';
import { writePin } from './pins.js';
import type { OpenQueue } from './redis.js';
import { jobId, type SliceJob, sliceOptions } from './slice-job.js';
import { type Slice, slicesOf } from './slices.js';

export interface EnqueueInput {
  readonly open: OpenQueue;
  readonly plan: Pick<Plan, 'inOrder' | 'range'>;
  /** What the plan was worked out of. */
  readonly pin: PinnedPlan;
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
}

/** A thousand workers of 20 connections each are nobody's wish: more is asked for on purpose. */
const MAX_SLICES = 20;
const SLICES_A_CALL = 1000;
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
export async function enqueue(input: EnqueueInput): Promise<EnqueueSummary> {
  const { open, pin, options, maxSlices, signal } = input;
  const { slices, unauthorized } = await findWork(input);
  if (slices.length === 0) return { slices: 0, added: 0, present: 0, unauthorized };
  const { weekdays, layout } = pin.selection;
  const shared = {
    pin: await writePin(options.dir, pin),
    dir: options.dir,
    options: sliceOptions(options),
    layout: String(layout),
    ...(weekdays && { weekdays }),
  };
  const known = await open.queue.getGlobalConcurrency();
  const most = maxSlices ?? known ?? MAX_SLICES;
  if (most !== known) await open.queue.setGlobalConcurrency(most);
  let added = 0;
  for (let at = 0; at < slices.length; at += SLICES_A_CALL) {
    signal.throwIfAborted();
    const jobs = slices.slice(at, at + SLICES_A_CALL).map((slice): SliceJob => ({ ...slice, ...shared }));
    added += await addNew(open, jobs);
  }
  return { slices: slices.length, added, present: slices.length - added, unauthorized };
}

async function findWork({
  plan,
  sliceDays,
  signal,
}: EnqueueInput): Promise<{ readonly slices: readonly Slice[]; readonly unauthorized: number }> {
  let files = 0;
  let unauthorized = 0;
  const counted = function* (): Generator<PlannedFile> {
    for (const file of plan.inOrder()) {
      files++;
      if (file.status === 'unauthorized') unauthorized++;
      yield file;
    }
  };
  const slices: Slice[] = [];
  for (const slice of slicesOf({ files: counted(), range: plan.range, sliceDays })) {
    slices.push(slice);
    if (files < FILES_A_TURN) continue;
    files = 0;
    await nextTurn();
    signal.throwIfAborted();
  }
  slices.sort((a, b) => (a.from > b.from ? -1 : a.from < b.from ? 1 : 0));
  return { slices, unauthorized };
}

/** Those of them that neither wait nor are worked on. @returns how many that were. */
async function addNew({ queue }: OpenQueue, jobs: readonly SliceJob[]): Promise<number> {
  const ids = jobs.map(jobId);
  const states = await Promise.all(ids.map((id) => queue.getJobState(id)));
  const ended = ids.filter((_, index) => states[index] === 'completed' || states[index] === 'failed');
  await Promise.all(ended.map((id) => queue.remove(id)));
  const fresh = jobs.flatMap((data, index) => {
    const state = states[index];
    const isNew = state === 'unknown' || state === 'completed' || state === 'failed';
    return isNew ? [{ name: 'slice', data, opts: { ...JOB_OPTIONS, jobId: ids[index] ?? '' } }] : [];
  });
  await queue.addBulk(fresh);
  return fresh.length;
}
