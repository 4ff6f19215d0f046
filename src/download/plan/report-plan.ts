import { TickhaulError } from '../../base/errors.js';
import { formatSize } from '../../base/units.js';
import { yieldToEventLoop } from '../../base/wait.js';
import type { EventSink, PlanCounts, PlanEvent, PlanStatus } from '../../events/run-events.js';
import type { Destination } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { DownloadSettings, PlannedFile } from '../download-options.js';
import type { CountedPlan } from './create-download-plan.js';
import {
  addToVolume,
  createVolume,
  type DownloadVolume,
  estimateDiskBytes,
  sumVolumes,
  toEstimate,
  toSizeRange,
  totalBytes,
} from './size-estimator.js';

/** A pass over a plan yields to the event loop after this many files. */
export const FILES_BEFORE_YIELD = 2048;

function createPlanCounts(): Record<PlanStatus | 'files', number> {
  return { files: 0, download: 0, skip: 0, resume: 0, pending: 0, unavailable: 0, unauthorized: 0 };
}

/** Counts of a plan's files, and the volume of those to download. */
export interface PlanTotals {
  readonly counts: PlanCounts;
  readonly volume: DownloadVolume;
}

/** Totals while they are computed. */
interface RunningTotals {
  readonly counts: ReturnType<typeof createPlanCounts>;
  readonly volume: DownloadVolume;
}

export function createTotals(): RunningTotals {
  return { counts: createPlanCounts(), volume: createVolume() };
}

/** Yields the files of a plan unchanged, and counts them. */
export function* countFiles(
  { sizeOf }: Pick<CountedPlan, 'sizeOf'>,
  files: Iterable<PlannedFile>,
  { counts, volume }: RunningTotals,
): Generator<PlannedFile> {
  for (const file of files) {
    counts.files++;
    counts[file.status]++;
    addToVolume(volume, file, sizeOf);
    yield file;
  }
}

/** Counts a plan, yielding to the event loop regularly: a plan may have millions of files. */
export async function countPlan(
  plan: Pick<CountedPlan, 'files' | 'sizeOf'>,
  signal?: AbortSignal,
): Promise<PlanTotals> {
  const totals = createTotals();
  for (const _ of countFiles(plan, plan.files(), totals)) {
    if (totals.counts.files % FILES_BEFORE_YIELD === 0) {
      await yieldToEventLoop();
      signal?.throwIfAborted();
    }
  }
  return totals;
}

/** Asks whether to continue though the disk is too small. @param shortage describes the missing space. */
export type AskForSpace = (shortage: string) => Promise<boolean>;

/** A counted plan, and how to download its files. */
export interface CountedJob {
  readonly totals: PlanTotals | undefined;
  readonly options: Pick<DownloadSettings, 'convert'>;
}

export interface PlanReportInput {
  readonly destination: Destination;
  readonly manifest: Manifest;
  readonly options: Pick<DownloadSettings, 'maxRate'>;
  readonly emit: EventSink;
  readonly askForSpace?: AskForSpace | undefined;
}

/**
 * Emits the totals of several plans; before that, asks or warns if the disk is too small.
 * @throws TickhaulError `disk` if the answer is no.
 */
export async function reportPlan(input: PlanReportInput, jobs: readonly CountedJob[]): Promise<void> {
  const { emit, askForSpace } = input;
  const { plan, shortage } = await describePlan(input, jobs);
  if (shortage !== undefined) {
    if (!askForSpace) emit({ event: 'warning', message: shortage });
    else if (!(await askForSpace(shortage))) {
      throw new TickhaulError(
        'disk',
        `nothing was downloaded: ${shortage}; free some space, or select fewer days`,
      );
    }
  }
  emit(plan);
}

/** The totals of several plans with the free disk space; `shortage` is set if it is too small. */
export async function describePlan(
  { destination, manifest, options }: Pick<PlanReportInput, 'destination' | 'manifest' | 'options'>,
  jobs: readonly CountedJob[],
): Promise<{ readonly plan: PlanEvent; readonly shortage: string | undefined }> {
  const totals = jobs.flatMap((job) => job.totals ?? []);
  const volume = sumVolumes(totals.map((each) => each.volume));
  const estimate = toEstimate(volume, minRate(manifest.history.bytesPerSecond(), options.maxRate));
  const sizeRange = toSizeRange(volume);
  const free = await destination.freeBytes();
  let needed = 0;
  for (const { totals: planTotals, options: jobOptions } of jobs) {
    needed += planTotals ? estimateDiskBytes(totalBytes(planTotals.volume) ?? 0, jobOptions.convert) : 0;
  }
  const isShort = free !== undefined && needed > free;
  return {
    plan: {
      event: 'plan',
      ...sumPlanCounts(totals),
      ...estimate,
      sizeRange,
      freeBytes: free ?? null,
      folder: destination.name,
    },
    shortage: isShort
      ? `the disk of ${destination.name} has ${formatSize(free)} free, ${
          sizeRange
            ? `but the download needs about ${formatSize(needed)}`
            : 'which may not be enough: the size of the download is unknown'
        }`
      : undefined,
  };
}

function minRate(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function sumPlanCounts(totals: readonly PlanTotals[]): PlanCounts {
  const sum = createPlanCounts();
  for (const { counts } of totals) {
    for (const key of Object.keys(sum) as (keyof PlanCounts)[]) sum[key] += counts[key];
  }
  return sum;
}
