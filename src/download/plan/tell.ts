import { TickhaulError } from '../../base/errors.js';
import { formatSize } from '../../base/units.js';
import type { EventSink, PlanCounts, PlanEvent } from '../../run/events.js';
import type { Destination } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import { bytesOnDisk } from '../estimate/space.js';
import { bytesOf, estimateOf, sumOfVolumes } from '../estimate/volume.js';
import type { DownloadOptions } from '../types.js';
import { type CountedPlan, emptyCounts, type PlanTotals } from './plan.js';

/** Asks whether to go on although the disk can't hold what is to come. @param shortage what is short, in words. */
export type AskForSpace = (shortage: string) => Promise<boolean>;

/** A plan, and how its files are to be brought. */
export interface CountedJob {
  readonly totals: PlanTotals | undefined;
  readonly options: Pick<DownloadOptions, 'convert'>;
}

export interface TellInput {
  readonly destination: Destination;
  readonly manifest: Manifest;
  readonly options: Pick<DownloadOptions, 'maxRate'>;
  readonly emit: EventSink;
  readonly askForSpace?: AskForSpace | undefined;
}

/**
 * Tells what several plans come to together; before that, asks or warns where the disk can't hold it.
 * @throws TickhaulError `disk` where the answer is no.
 */
export async function tellPlan(input: TellInput, jobs: readonly CountedJob[]): Promise<void> {
  const { emit, askForSpace } = input;
  const { plan, shortage } = await describePlan(input, jobs);
  if (shortage !== undefined) {
    if (!askForSpace) emit({ event: 'warning', message: shortage });
    else if (!(await askForSpace(shortage))) {
      throw new TickhaulError(
        'disk',
        `nothing was downloaded: ${shortage}; free some space, or take fewer days`,
      );
    }
  }
  emit(plan);
}

/**
 * Whether the disk is sure to hold all plans, and as much again, so that nobody will have to be asked. Known without a
 * walk over their files.
 */
export async function hasAmpleSpace(
  destination: Destination,
  jobs: readonly { readonly plan: CountedPlan; readonly options: CountedJob['options'] }[],
): Promise<boolean> {
  const free = await destination.freeBytes();
  const most = jobs.reduce(
    (sum, { plan, options: { convert } }) =>
      sum + bytesOnDisk(plan.mostBytes?.() ?? Number.POSITIVE_INFINITY, convert),
    0,
  );
  return free === undefined || most * 2 <= free;
}

/** What several plans come to together, with the disk's space; `shortage` says where that is too little. */
export async function describePlan(
  { destination, manifest, options }: Pick<TellInput, 'destination' | 'manifest' | 'options'>,
  jobs: readonly CountedJob[],
): Promise<{ readonly plan: PlanEvent; readonly shortage: string | undefined }> {
  const totals = jobs.flatMap((job) => job.totals ?? []);
  const estimate = estimateOf(
    sumOfVolumes(totals.map(({ volume }) => volume)),
    slower(manifest.history.bytesPerSecond(), options.maxRate),
  );
  const free = await destination.freeBytes();
  let needed = 0;
  for (const { totals: own, options: how } of jobs) {
    needed += own ? bytesOnDisk(bytesOf(own.volume) ?? 0, how.convert) : 0;
  }
  const isShort = free !== undefined && needed > free;
  return {
    plan: { event: 'plan', ...sumOf(totals), ...estimate, freeBytes: free ?? null, folder: destination.name },
    shortage: isShort
      ? `the disk of ${destination.name} has ${formatSize(free)} free, and what is to come takes ${HOW[estimate.estimateBasis ?? 'typical']} ${formatSize(needed)}`
      : undefined,
  };
}

/** How sure an estimate is. */
const HOW = { manifest: 'about', record: 'roughly', typical: 'perhaps' } as const;

function slower(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function sumOf(totals: readonly PlanTotals[]): PlanCounts {
  const sum = emptyCounts();
  for (const { counts } of totals) {
    for (const key of Object.keys(sum) as (keyof PlanCounts)[]) sum[key] += counts[key];
  }
  return sum;
}
